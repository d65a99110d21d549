import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Icon, type IconName } from '../shared/kit/icon.tsx'
import { part } from '../shared/kit/part.tsx'
import type { Place } from './places.ts'
import { PlaceCount } from './rail.tsx'

const MorePlaces = part(() => import('./more-places.tsx'))

const tab =
  'flex grow basis-0 flex-col items-center justify-center gap-0.5 text-xs font-medium text-muted aria-[current=page]:text-accent-text'

/** On a phone: Inbox, Board, New, More. */
export function BottomBar(): ReactNode {
  const [isMoreOpen, setMoreOpen] = useState(false)
  return (
    <nav
      aria-label="Pages"
      className="flex h-14 shrink-0 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <Tab to="/inbox" icon="inbox" label="Inbox" />
      <Tab to="/" icon="layout-list" label="Board" />
      <Tab to="/sessions/new" icon="plus" label="New" />
      <button type="button" aria-haspopup="dialog" onClick={() => setMoreOpen(true)} className={tab}>
        <Icon name="ellipsis" size={20} />
        More
      </button>
      {isMoreOpen && <MorePlaces onClose={() => setMoreOpen(false)} />}
    </nav>
  )
}

function Tab({ to, icon, label }: { to: Place['to']; icon: IconName; label: string }): ReactNode {
  return (
    <Link to={to} activeOptions={{ exact: true, includeSearch: false }} className={tab}>
      <span className="relative">
        <Icon name={icon} size={20} />
        <span className="absolute -top-1.5 left-3">
          <PlaceCount of={to} />
        </span>
      </span>
      {label}
    </Link>
  )
}
