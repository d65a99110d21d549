import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useNeedsYou } from '../features/needs-you/use-needs-you.ts'
import { NameDialog } from '../features/people/name-dialog.tsx'
import { useRead } from '../shared/api/hooks.ts'
import { useViewer, viewerKey } from '../shared/api/viewer.ts'
import { signOut } from '../shared/api/web-session.ts'
import { Count } from '../shared/kit/badge.tsx'
import { Icon } from '../shared/kit/icon.tsx'
import { Menu } from '../shared/kit/menu.tsx'
import { Logo } from './logo.tsx'
import { morePlaces, type Place, places, serverPages } from './places.ts'
import { useShell } from './shell-context.ts'
import { ThemeButton } from './theme-button.tsx'

const row =
  'flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-muted transition-colors hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-accent-text'

/** The pages, on the left of a wide window. */
export function Rail(): ReactNode {
  return (
    <nav
      aria-label="Pages"
      className="hidden w-52 shrink-0 flex-col gap-4 overflow-y-auto border-line border-r bg-canvas px-2.5 py-3 md:flex"
    >
      <Link to="/" className="flex items-center gap-2.5 rounded-md px-2 py-1 font-semibold text-lg tracking-tight">
        <Logo />
        Yardmaster
      </Link>
      <div className="flex flex-col gap-px">
        {places.map((place) => (
          <RailLink key={place.to} place={place} />
        ))}
      </div>
      <div className="flex flex-col gap-px">
        {morePlaces.map((place) => (
          <RailLink key={place.to} place={place} />
        ))}
      </div>
      <div className="flex flex-col gap-px">
        {serverPages.map(({ href, label, icon }) => (
          <a key={href} href={href} className={row}>
            <Icon name={icon} />
            {label}
          </a>
        ))}
      </div>
      <div className="mt-auto flex items-center justify-between gap-1 border-line border-t pt-2">
        <ViewerMenu />
        <ThemeButton />
      </div>
    </nav>
  )
}

function RailLink({ place: { to, label, icon } }: { place: Place }): ReactNode {
  return (
    <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={row}>
      <Icon name={icon} />
      <span className="grow">{label}</span>
      <PlaceCount of={to} />
    </Link>
  )
}

export function PlaceCount({ of }: { of: Place['to'] }): ReactNode {
  if (of === '/inbox') return <NeedsYouCount />
  if (of === '/notifications') return <NotificationCount />
  return null
}

function NeedsYouCount(): ReactNode {
  return <Count of={useNeedsYou().items.length} tone="needs" label="need you" />
}

export function NotificationCount(): ReactNode {
  const badge = useRead('notifications.badge', {})
  return <Count of={badge.data?.pending_count ?? 0} tone="accent" label="unread" />
}

function ViewerMenu(): ReactNode {
  const { data: viewer } = useViewer()
  const cache = useQueryClient()
  const shell = useShell()
  const [isNaming, setNaming] = useState(false)
  const leave = async () => {
    await signOut()
    cache.clear()
    await cache.invalidateQueries({ queryKey: viewerKey })
  }
  return (
    <>
      <Menu
        label="You"
        size="md"
        look="quiet"
        icon="user"
        items={[
          {
            label: viewer?.name ? 'Change your name' : 'Say who you are',
            icon: 'pencil',
            onSelect: () => setNaming(true),
          },
          { label: 'Keys', icon: 'keyboard', keys: '?', onSelect: () => shell.open('keys') },
          'separator',
          { label: 'Sign out', icon: 'log-out', onSelect: () => void leave() },
        ]}
      >
        <span className="max-w-24 truncate">{viewer?.name ?? 'No name'}</span>
      </Menu>
      <NameDialog isOpen={isNaming} onClose={() => setNaming(false)} />
    </>
  )
}
