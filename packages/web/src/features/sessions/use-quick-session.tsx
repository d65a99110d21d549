import { useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useDraft } from '../../shared/state/draft.ts'
import { nameOfSession } from './name-of-session.ts'
import { offeredRoots, type Root } from './new-session-form.ts'

const rootKey = 'yardmaster.quick-root'

type QuickSession = {
  prompt: string
  setPrompt: (prompt: string) => void
  roots: readonly Root[]
  root: string | undefined
  setRoot: (name: string) => void
  /** Starts it with what was written, and what the page adds to it. */
  start: (addition?: string) => void
  /** There is a prompt, and the roots are read: without one the server refuses it. */
  canStart: boolean
  isPending: boolean
}

/** Starts a session from one field, on the root that was used last, and says where it is. */
export function useQuickSession(draft: string, onStarted?: () => void): QuickSession {
  const toasts = useToasts()
  const configs = useRead('configs.show', {})
  const roots = offeredRoots(configs.data)
  const [chosen, setChosen] = useState(() => localStorage.getItem(rootKey) ?? '')
  const root = roots.find(({ name }) => name === chosen)?.name ?? roots[0]?.name
  const [prompt, setPrompt] = useDraft(draft)
  // A double press of Enter is one session.
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID())
  const create = useWrite('sessions.create', {
    refreshes: ['board'],
    onSuccess: ({ session }) => {
      setPrompt('')
      setIdempotencyKey(crypto.randomUUID())
      toasts.say(`Started “${nameOfSession(session)}”`, {
        link: (
          <ButtonLink size="sm" to="/sessions/$id" params={{ id: String(session.id) }}>
            Open
          </ButtonLink>
        ),
      })
      onStarted?.()
    },
  })
  const canStart = prompt.trim() !== '' && !configs.isLoading
  return {
    prompt,
    setPrompt,
    roots,
    root,
    setRoot: (name) => {
      localStorage.setItem(rootKey, name)
      setChosen(name)
    },
    start: (addition = '') => {
      if (!canStart) return
      create.mutate({ prompt: prompt + addition, agent_root: root, idempotency_key: idempotencyKey })
    },
    canStart,
    isPending: create.isPending,
  }
}
