import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useConnection } from '../../shared/live/live.tsx'
import { draftOf, sendingDraft, useEdit } from '../../shared/state/draft.ts'
import type { Session } from './session-facts.ts'
import { showInSession } from './show-in-session.ts'

const typingMs = 800

/**
 * Notes for people about a session. Saved while they are written; what is not saved yet is kept as a draft. If others have changed the
 * notes since it was begun, the person chooses.
 */
export default function NotesPanel({ session, id }: { session: Session; id: string }): ReactNode {
  const stored = session.session_notes ?? ''
  const name = `notes.${session.id}`
  const [draft, setDraft] = useEdit(name)
  // What was stored when the draft was begun. A draft of an older version has none.
  const [begun, setBegun] = useEdit(`notes-begun.${session.id}`)
  const sent = useRef<string>(undefined)
  const [failed, setFailed] = useState<string>()
  const connection = useConnection()
  const save = useWrite('sessions.update_notes', {
    refreshes: ['board'],
    complains: false,
    isDoneWhenAccepted: true,
    // Else the text before the save would show until the session has been read again.
    optimistic: (cache, { session_notes }) => showInSession(cache, id, { session_notes }),
  })
  const { mutate, isPending } = save
  // What was sent is stored too when only the answer to it was lost.
  const isChanged = draft !== undefined && ![begun, sent.current, draft].includes(stored)
  const isFailed = draft !== undefined && draft === failed
  const isUnsaved = draft !== undefined && !isChanged && !isFailed
  const due = useRef<() => void>(undefined)
  useEffect(() => {
    const write = () => {
      if (draft === undefined) return
      sent.current = draft
      // What is written meanwhile stays, and is saved next.
      const accepted = sendingDraft(name)
      mutate(
        { id, session_notes: draft, replaces: stored },
        {
          onSuccess: () => {
            accepted()
            setBegun(draftOf(name) === '' ? undefined : draft)
          },
          onError: () => setFailed(draft),
        },
      )
    }
    // Also what was typed while another write is on its way, which this one then follows.
    due.current = isUnsaved && !(isPending && sent.current === draft) ? write : undefined
    if (!isUnsaved || isPending) return
    const timer = setTimeout(write, typingMs)
    return () => clearTimeout(timer)
  }, [isUnsaved, isPending, draft, stored, id, mutate, name, setBegun])
  useEffect(() => {
    const leave = () => due.current?.()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])
  useEffect(() => {
    if (connection === 'live') setFailed(undefined)
  }, [connection])
  return (
    <div className="flex h-full min-h-60 flex-col gap-2 p-3">
      {isFailed && !isChanged && <ErrorNote error={save.error} onRetry={() => setFailed(undefined)} />}
      {isChanged && (
        <Callout
          tone="needs"
          action={
            <div className="flex gap-2">
              <Button
                size="sm"
                onClick={() => {
                  setBegun(stored)
                  setFailed(undefined)
                }}
              >
                Keep mine
              </Button>
              <Button
                size="sm"
                onClick={() => {
                  setDraft(undefined)
                  setBegun(undefined)
                }}
              >
                Take theirs
              </Button>
            </div>
          }
        >
          <p>The notes were changed elsewhere after you began to write. Yours are below, and not saved. Theirs:</p>
          <textarea
            aria-label="Notes as they are saved"
            readOnly
            rows={4}
            value={stored}
            className="mt-1 w-full resize-y rounded-md border border-line bg-surface px-3 py-2 leading-relaxed"
          />
        </Callout>
      )}
      <textarea
        aria-label="Notes"
        placeholder="Notes for people. The agent gets them with its next turn."
        value={draft ?? stored}
        onChange={(event) => {
          if (draft === undefined) setBegun(stored)
          setDraft(event.currentTarget.value)
        }}
        className="min-h-48 grow resize-none rounded-md border border-control bg-surface px-3 py-2 leading-relaxed"
      />
      <p role="status" className="text-muted text-sm">
        {isChanged || isFailed ? (
          'Not saved'
        ) : draft !== undefined ? (
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
