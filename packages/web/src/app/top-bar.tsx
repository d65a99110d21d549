import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dollars } from '../features/costs/dollars.ts'
import { ButtonLink, IconButton } from '../shared/kit/button.tsx'
import { Icon } from '../shared/kit/icon.tsx'
import { Keys } from '../shared/kit/keys.tsx'
import { Logo } from '../shared/kit/logo.tsx'
import { useConnection } from '../shared/live/live.tsx'
import { PlaceCount } from './rail.tsx'
import { useShell } from './shell-context.ts'
import { useSummary } from './summary.ts'

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
      <Figures />
      <LiveDot />
      <Link
        to="/notifications"
        data-tip="Notifications"
        className="inline-flex h-8 items-center gap-1 rounded-md px-2 text-muted hover:bg-hover hover:text-text"
      >
        <Icon name="bell" />
        <span className="unseen">Notifications</span>
        <PlaceCount of="/notifications" />
      </Link>
      <span className="hidden md:block">
        <IconButton icon="message-square" label="Ask an agent about this page" onClick={() => open('ask')} />
      </span>
      <span className="hidden md:block">
        <ButtonLink to="/sessions/new" look="primary" icon="plus">
          New session
        </ButtonLink>
      </span>
    </header>
  )
}

/** How busy the yard is: a wide window has room for it. */
function Figures(): ReactNode {
  const summary = useSummary()
  if (!summary) return null
  const { spot, hosts, cost_today_usd } = summary
  const item =
    'hidden h-8 items-center rounded-md px-2 text-muted text-sm tabular hover:bg-hover hover:text-text lg:inline-flex'
  return (
    <>
      <Link
        to="/"
        search={{ status: 'running' }}
        className={item}
        data-tip={spot.is_gated ? `Turns that run; spot turns wait while ${spot.slots} or more do` : 'Turns that run'}
      >
        {/* Priority turns start also above the limit: "3 of 1" would read as an error. */}
        {spot.is_gated && spot.live <= spot.slots
          ? `${spot.live} of ${spot.slots} turns`
          : `${spot.live} ${spot.live === 1 ? 'turn' : 'turns'}`}
        {spot.held > 0 && `, ${spot.held} held`}
      </Link>
      <Link to="/health-report" className={item} data-tip="Hosts that report themselves alive">
        {hosts.alive} {hosts.alive === 1 ? 'host' : 'hosts'}
      </Link>
      <Link to="/costs" className={item} data-tip="Spent today (UTC), at list price">
        {dollars(cost_today_usd)} today
      </Link>
    </>
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
