import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ButtonLink } from '../shared/kit/button.tsx'
import { Icon } from '../shared/kit/icon.tsx'
import { Keys } from '../shared/kit/keys.tsx'
import { useConnection } from '../shared/live/live.tsx'
import { Logo } from './logo.tsx'
import { NotificationCount } from './rail.tsx'
import { useShell } from './shell-context.ts'

export function TopBar(): ReactNode {
  const { open } = useShell()
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-line border-b bg-canvas px-3 md:px-4">
      <Link to="/" aria-label="Board" className="rounded-md p-1 md:hidden">
        <Logo size={22} />
      </Link>
      <button
        type="button"
        onClick={() => open('palette')}
        className="flex h-8 min-w-0 max-w-md grow items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-faint shadow-raised hover:text-muted"
      >
        <Icon name="search" size={14} />
        <span className="grow truncate text-left">Search or do…</span>
        <span className="hidden md:block">
          <Keys of="mod+k" />
        </span>
      </button>
      <div className="grow" />
      <LiveDot />
      <Link
        to="/notifications"
        data-tip="Notifications"
        className="inline-flex h-8 items-center gap-1 rounded-md px-2 text-muted hover:bg-hover hover:text-text"
      >
        <Icon name="bell" />
        <span className="unseen">Notifications</span>
        <NotificationCount />
      </Link>
      <span className="hidden md:block">
        <ButtonLink to="/sessions/new" look="primary" icon="plus">
          New session
        </ButtonLink>
      </span>
    </header>
  )
}

const dots = {
  connecting: { color: 'bg-faint', word: 'connecting', tip: 'Connecting to the event stream' },
  live: { color: 'bg-ok', word: 'live', tip: 'This page shows changes as they happen' },
  lost: { color: 'bg-failed', word: 'offline', tip: 'The event stream is down; it reconnects by itself' },
}

function LiveDot(): ReactNode {
  const { color, word, tip } = dots[useConnection()]
  return (
    <span data-tip={tip} className="inline-flex items-center gap-1.5 px-1 text-muted text-sm">
      <span className={`size-2 rounded-full ${color}`} />
      {word}
    </span>
  )
}
