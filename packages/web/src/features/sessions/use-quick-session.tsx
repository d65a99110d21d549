import { useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useDraft, useSending } from '../../shared/state/draft.ts'
import { keep, kept } from '../../shared/state/keep.ts'
import { useRequestKey } from '../../shared/state/use-request-key.ts'
import { offeredRoots, type Root } from './new-session-form.ts'
import { sayStarted } from './say-started.tsx'
import { warningsOf } from './warnings-of.ts'

const rootKey = 'yardmaster.quick-root'

type QuickSession = {
  prompt: string
  setPrompt: (prompt: string) => void
  roots: readonly Root[]
  root: string | undefined
  setRoot: (name: string) => void
  start: () => void
  /** There is a prompt, and the roots are read: without one the server refuses it. */
  canStart: boolean
  isPending: boolean
}

type QuickOptions = {
  /** What the page adds to what was written. */
  addition?: string
  onStarted?: () => void
}

/** Starts a session from one field, on the root that was used last, and says where it is. */
export function useQuickSession(draft: string, { addition = '', onStarted }: QuickOptions = {}): QuickSession {
  const toasts = useToasts()
  const configs = useRead('configs.show', {})
  const roots = offeredRoots(configs.data)
  const [chosen, setChosen] = useState(() => kept(rootKey))
  const root = roots.find(({ name }) => name === chosen)?.name ?? roots[0]?.name
  const [prompt, setPrompt] = useDraft(draft)
  const { sending, accepted } = useSending(draft, { isMessage: true })
  const { keyOf, renew } = useRequestKey()
  const create = useWrite('sessions.create', {
    refreshes: ['board'],
    onSuccess: (answer) => {
      const { session } = answer
      accepted()
      renew()
      for (const warning of warningsOf(answer)) toasts.say(warning)
      sayStarted(toasts, session)
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
      keep(rootKey, name)
      setChosen(name)
    },
    start: () => {
      // One at a time: `accepted` takes out what was sent last.
      if (!canStart || create.isPending) return
      sending()
      const request = { prompt: prompt + addition, agent_root: root }
      create.mutate({ ...request, idempotency_key: keyOf(request) })
    },
    canStart,
    isPending: create.isPending,
  }
}
