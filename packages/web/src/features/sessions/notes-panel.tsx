import { type ReactNode, useEffect, useRef } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useDraft } from '../../shared/state/draft.ts'
import type { Session } from './session-facts.ts'

const typingMs = 800

/** Notes for people about a session. Saved while they are written; what is not saved yet is kept as a draft. */
export default function NotesPanel({ session, id }: { session: Session; id: string }): ReactNode {
  const stored = session.session_notes ?? ''
  // The mark tells an empty draft from none.
  const [draft, setDraft] = useDraft(`notes.${session.id}`)
  const text = draft === '' ? stored : draft.slice(1)
  const latest = useRef(draft)
  latest.current = draft
  const save = useWrite('sessions.update_notes', { refreshes: ['board'], complains: false })
  const { mutate } = save
  useEffect(() => {
    if (draft === '') return
    const timer = setTimeout(
      () =>
        mutate(
          { id, session_notes: draft.slice(1) },
          // What was written meanwhile is saved next.
          { onSuccess: () => latest.current === draft && setDraft('') },
        ),
      typingMs,
    )
    return () => clearTimeout(timer)
  }, [draft, id, mutate, setDraft])
  return (
    <div className="flex h-full min-h-60 flex-col gap-2 p-3">
      <ErrorNote error={save.error} />
      <textarea
        aria-label="Notes"
        placeholder="Notes for people. The agent does not read them."
        value={text}
        onChange={(event) => setDraft(`+${event.currentTarget.value}`)}
        className="min-h-48 grow resize-none rounded-md border border-control bg-surface px-3 py-2 leading-relaxed"
      />
      <p role="status" className="text-muted text-sm">
        {draft !== '' ? (
          'Saving…'
        ) : session.session_notes_updated_at ? (
          <>
            Saved <Time at={session.session_notes_updated_at} />
          </>
        ) : (
          'Saved as you write'
        )}
      </p>
    </div>
  )
}
