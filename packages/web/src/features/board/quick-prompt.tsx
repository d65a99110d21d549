import { Link } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { useQuickSession } from '../sessions/use-quick-session.tsx'

/** Starts a session in one line, on the root that was used last. */
export default function QuickPrompt(): ReactNode {
  const { prompt, setPrompt, roots, root, setRoot, start, canStart, isPending } = useQuickSession('quick-prompt')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start()
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
          <span className="relative mr-1 shrink-0 text-muted max-md:hidden">
            <select
              aria-label="Root of the session"
              value={root}
              onChange={(event) => setRoot(event.currentTarget.value)}
              className="h-7 max-w-44 appearance-none truncate rounded-sm pr-6 pl-2 text-sm hover:bg-hover"
            >
              {roots.map(({ name, display_name }) => (
                <option key={name} value={name}>
                  {display_name}
                </option>
              ))}
            </select>
            <Icon name="chevron-down" size={12} className="pointer-events-none absolute top-2 right-1.5" />
          </span>
        )}
      </div>
      <Button type="submit" look="primary" icon="play" className="h-9" disabled={!canStart} isBusy={isPending}>
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
