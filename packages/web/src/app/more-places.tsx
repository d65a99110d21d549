import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { serverPage } from '../shared/api/private-path.ts'
import { Dialog } from '../shared/kit/dialog.tsx'
import { Icon } from '../shared/kit/icon.tsx'
import { morePlaces, places, serverPages } from './places.ts'
import { PlaceCount } from './rail.tsx'
import { useShell } from './shell-context.ts'
import { ThemeButton } from './theme-button.tsx'

const row = 'flex h-11 min-w-0 items-center gap-2 rounded-md px-1.5 text-base hover:bg-hover'

/** On a phone: the pages that the bar has no room for, and what the top bar of a wide window has beside them. */
export default function MorePlaces({ onClose }: { onClose: () => void }): ReactNode {
  const { open } = useShell()
  const ask = () => {
    onClose()
    open('ask')
  }
  const rest = [...places, ...morePlaces].filter(({ to }) => to !== '/' && to !== '/inbox')
  return (
    <Dialog title="More" isOpen onClose={onClose} width="sm">
      <div className="grid grid-cols-2">
        {rest.map(({ to, label, icon }) => (
          <Link key={to} to={to} onClick={onClose} className={row}>
            <Icon name={icon} className="text-muted" />
            <span className="grow truncate">{label}</span>
            <PlaceCount of={to} />
          </Link>
        ))}
        {serverPages.map(({ href, label, icon }) => (
          <a key={href} href={serverPage(href)} className={row}>
            <Icon name={icon} className="text-muted" />
            {label}
          </a>
        ))}
        <button type="button" onClick={ask} className={`${row} col-span-2`}>
          <Icon name="message-square" className="text-muted" />
          Ask an agent about this page
        </button>
        <div className="col-span-2 mt-2 flex items-center justify-between border-line border-t pt-2 pl-1.5">
          Theme
          <ThemeButton />
        </div>
      </div>
    </Dialog>
  )
}
