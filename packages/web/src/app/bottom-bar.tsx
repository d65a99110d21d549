import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { serverPage } from '../shared/api/private-path.ts'
import { Dialog } from '../shared/kit/dialog.tsx'
import { Icon, type IconName } from '../shared/kit/icon.tsx'
import { morePlaces, type Place, places, serverPages } from './places.ts'
import { PlaceCount } from './rail.tsx'
import { ThemeButton } from './theme-button.tsx'

const tab =
  'flex grow basis-0 flex-col items-center justify-center gap-0.5 text-xs font-medium text-muted aria-[current=page]:text-accent-text'
const sheetRow = 'flex h-11 min-w-0 items-center gap-2 rounded-md px-1.5 text-base hover:bg-hover'

/** On a phone: Inbox, Board, New, More. */
export function BottomBar(): ReactNode {
  const [isMoreOpen, setMoreOpen] = useState(false)
  const rest = [...places, ...morePlaces].filter(({ to }) => to !== '/' && to !== '/inbox')
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
      <Dialog title="More" isOpen={isMoreOpen} onClose={() => setMoreOpen(false)} width="sm">
        <div className="grid grid-cols-2">
          {rest.map(({ to, label, icon }) => (
            <Link key={to} to={to} onClick={() => setMoreOpen(false)} className={sheetRow}>
              <Icon name={icon} className="text-muted" />
              <span className="grow truncate">{label}</span>
              <PlaceCount of={to} />
            </Link>
          ))}
          {serverPages.map(({ href, label, icon }) => (
            <a key={href} href={serverPage(href)} className={sheetRow}>
              <Icon name={icon} className="text-muted" />
              {label}
            </a>
          ))}
          <div className="col-span-2 mt-2 flex items-center justify-between border-line border-t pt-2 pl-1.5">
            Theme
            <ThemeButton />
          </div>
        </div>
      </Dialog>
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
