import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useDraft } from '../../shared/state/draft.ts'

const rootKey = 'yardmaster.quick-root'

/** Starts a session in one line, on the root that was used last. */
export default function QuickPrompt(): ReactNode {
  const toasts = useToasts()
  const configs = useRead('configs.show', {})
  const roots = (configs.data?.agent_roots ?? []).filter(({ user_invocable }) => user_invocable)
  const [chosen, setChosen] = useState(() => localStorage.getItem(rootKey) ?? '')
  const root = roots.find(({ name }) => name === chosen)?.name ?? roots[0]?.name
  const [prompt, setPrompt] = useDraft('quick-prompt')
  // A double press of Enter is one session.
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID())
  const create = useWrite('sessions.create', {
    refreshes: ['board'],
    onSuccess: ({ session }) => {
      setPrompt('')
      setIdempotencyKey(crypto.randomUUID())
      toasts.say(`Started “${session.title ?? session.slug ?? `Session ${session.id}`}”`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (prompt.trim() !== '') create.mutate({ prompt, agent_root: root, idempotency_key: idempotencyKey })
  }
  return (
    <form onSubmit={submit} className="flex min-w-0 items-center gap-2">
      <div className="flex h-9 min-w-0 grow items-center rounded-md border border-control bg-surface focus-within:border-accent focus-within:outline-2 focus-within:outline-accent-text">
        <input
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          aria-label="Start a session: what should the agent do?"
          placeholder="What should an agent do?"
          className="h-full min-w-0 grow bg-transparent px-3 outline-none"
        />
        {roots.length > 0 && (
          <select
            aria-label="Root of the session"
            value={root}
            onChange={(event) => {
              localStorage.setItem(rootKey, event.currentTarget.value)
              setChosen(event.currentTarget.value)
            }}
            className="mr-1 h-7 max-w-36 shrink-0 rounded-sm bg-transparent px-1 text-muted text-sm hover:bg-hover max-md:max-w-20"
          >
            {roots.map(({ name, display_name }) => (
              <option key={name} value={name}>
                {display_name}
              </option>
            ))}
          </select>
        )}
      </div>
      <Button
        type="submit"
        look="primary"
        icon="play"
        className="h-9"
        disabled={prompt.trim() === ''}
        isBusy={create.isPending}
      >
        Start
      </Button>
      <Link
        to="/sessions/new"
        className="inline-flex h-9 items-center whitespace-nowrap px-1 text-muted text-sm underline hover:text-text max-md:hidden"
      >
        All options
      </Link>
    </form>
  )
}
