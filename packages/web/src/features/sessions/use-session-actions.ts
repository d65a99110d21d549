import { useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useIsLeft } from '../../shared/kit/use-is-left.ts'
import { useBoardActions } from '../board/board-actions.ts'
import type { RowDialog } from '../board/row-menu.ts'
import type { Session } from './session-facts.ts'
import { showArchived } from './show-archived.ts'
import { showInSession } from './show-in-session.ts'

/** What shows a session besides its own page. */
const elsewhere = ['board', 'needs_you', 'notifications'] as const

export type SessionActions = ReturnType<typeof useSessionActions>

/** Everything that a person can do with a session, besides talking to it. */
export function useSessionActions({ id: number, favorited }: Session, id: string) {
  const toasts = useToasts()
  const navigate = useNavigate()
  /** Why it is not archived: shown by a part that is loaded then. */
  const [refusal, setRefusal] = useState<Error>()
  const isLeft = useIsLeft()
  const [dialog, openDialog] = useState<RowDialog>()
  const input = { id }
  const touching = { refreshes: elsewhere } as const
  const saying = { ...touching, onSuccess: ({ message }: { message: string }) => toasts.say(message) }

  // What becomes of the session by this, by a pause or by a sleep is the server's to say.
  const unarchive = useWrite('sessions.unarchive', saying)
  const archive = useWrite('sessions.archive', {
    refreshes: [...elsewhere, 'enqueued_messages'],
    optimistic: (cache) => showArchived(cache, number),
    complains: false,
    onSuccess: () => {
      setRefusal(undefined)
      toasts.say('Archived', { undo: () => unarchive.mutate(input) })
    },
  })
  const favorite = useWrite('sessions.toggle_favorite', {
    ...touching,
    optimistic: (cache) => showInSession(cache, id, { favorited: !favorited }),
  })
  const pause = useWrite('sessions.pause', { ...touching, onSuccess: () => toasts.say('Paused') })
  const sleep = useWrite('sessions.sleep', {
    ...touching,
    onSuccess: ({ session }) => toasts.say(session.status === 'waiting' ? 'Asleep' : 'Sleeps when the turn ends'),
  })
  const restart = useWrite('sessions.restart', saying)
  const reread = useWrite('sessions.refresh', { ...saying, refreshes: ['transcripts'] })
  const forking = useWrite('sessions.fork', {
    onSuccess: ({ session, message }) => {
      toasts.say(message)
      if (!isLeft.current) void navigate({ to: '/sessions/$id', params: { id: String(session.id) } })
    },
  })
  const { mutate: forkAt } = forking
  /** Messages are counted from 0, entries from 1. */
  const fork = useCallback((sequence: number) => forkAt({ id, message_index: sequence - 1 }), [forkAt, id])

  return {
    archive: (force = false) => archive.mutate({ id, force }, { onError: setRefusal }),
    refusal,
    keep: () => setRefusal(undefined),
    isArchiving: archive.isPending,
    unarchive: () => unarchive.mutate(input),
    favorite: () => favorite.mutate(input),
    pause: () => pause.mutate(input),
    sleep: () => sleep.mutate(input),
    restart: () => restart.mutate(input),
    isRestarting: restart.isPending,
    reread: () => reread.mutate(input),
    fork,
    dialog,
    openDialog,
    /** For the actions that are loaded later. */
    toasts,
    board: useBoardActions(),
  }
}
