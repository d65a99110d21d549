import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../shared/api/client.ts'
import { keyOf, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Time } from '../../shared/kit/time.tsx'
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
  const [readError, setReadError] = useState<unknown>()
  const cache = useQueryClient()
  const save = useWrite('sessions.update_notes', {
    refreshes: ['board'],
    complains: false,
    // The draft goes when they are saved; the page must have them then, though it has not read them yet.
    optimistic: (cache, { session_notes }) => showInSession(cache, id, { session_notes }),
  })
  const { mutate } = save
  // What was sent is stored too when only the answer to it was lost.
  const isChanged = draft !== undefined && ![begun, sent.current, draft].includes(stored)
  useEffect(() => {
    if (draft === undefined || isChanged) return
    let isLatest = true
    const write = async () => {
      // What the page shows may be older than a change by someone else. If there is one, the page has it now and asks.
      const now = await call('sessions.show', { id })
      if (!isLatest) return
      if (![begun, sent.current, draft].includes(now.session.session_notes ?? ''))
        return void cache.setQueryData(keyOf('sessions.show', { id }), now)
      setReadError(undefined)
      sent.current = draft
      // What is written meanwhile stays, and is saved next.
      const accepted = sendingDraft(name)
      mutate(
        { id, session_notes: draft },
        {
          onSuccess: () => {
            accepted()
            setBegun(draftOf(name) === '' ? undefined : draft)
          },
        },
      )
    }
    const timer = setTimeout(() => void write().catch(setReadError), typingMs)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [draft, begun, isChanged, id, mutate, name, cache, setBegun])
  return (
    <div className="flex h-full min-h-60 flex-col gap-2 p-3">
      <ErrorNote error={save.error ?? readError} />
      {isChanged && (
        <Callout
          tone="needs"
          action={
            <div className="flex gap-2">
              <Button size="sm" onClick={() => setBegun(stored)}>
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
        placeholder="Notes for people. The agent does not read them."
        value={draft ?? stored}
        onChange={(event) => {
          if (draft === undefined) setBegun(stored)
          setDraft(event.currentTarget.value)
        }}
        className="min-h-48 grow resize-none rounded-md border border-control bg-surface px-3 py-2 leading-relaxed"
      />
      <p role="status" className="text-muted text-sm">
        {isChanged ? (
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
