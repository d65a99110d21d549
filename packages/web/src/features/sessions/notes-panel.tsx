import { type ReactNode, useEffect } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { sendingDraft, useEdit } from '../../shared/state/draft.ts'
import type { Session } from './session-facts.ts'
import { showInSession } from './show-in-session.ts'

const typingMs = 800

/** Notes for people about a session. Saved while they are written; what is not saved yet is kept as a draft. */
export default function NotesPanel({ session, id }: { session: Session; id: string }): ReactNode {
  const stored = session.session_notes ?? ''
  const name = `notes.${session.id}`
  const [draft, setDraft] = useEdit(name)
  const save = useWrite('sessions.update_notes', {
    refreshes: ['board'],
    complains: false,
    // The draft goes when they are saved; the page must have them then, though it has not read them yet.
    optimistic: (cache, { session_notes }) => showInSession(cache, id, { session_notes }),
  })
  const { mutate } = save
  useEffect(() => {
    if (draft === undefined) return
    const timer = setTimeout(
      // What is written meanwhile stays, and is saved next.
      () => mutate({ id, session_notes: draft }, { onSuccess: sendingDraft(name) }),
      typingMs,
    )
    return () => clearTimeout(timer)
  }, [draft, id, mutate, name])
  return (
    <div className="flex h-full min-h-60 flex-col gap-2 p-3">
      <ErrorNote error={save.error} />
      <textarea
        aria-label="Notes"
        placeholder="Notes for people. The agent does not read them."
        value={draft ?? stored}
        onChange={(event) => setDraft(event.currentTarget.value)}
        className="min-h-48 grow resize-none rounded-md border border-control bg-surface px-3 py-2 leading-relaxed"
      />
      <p role="status" className="text-muted text-sm">
        {draft !== undefined ? (
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
