import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { serverPage } from '../shared/api/private-path.ts'
import { useViewer } from '../shared/api/viewer.ts'
import { Count } from '../shared/kit/badge.tsx'
import { Icon } from '../shared/kit/icon.tsx'
import { Logo } from '../shared/kit/logo.tsx'
import { Menu } from '../shared/kit/menu.tsx'
import { part } from '../shared/kit/part.tsx'
import { useSignOut } from '../shared/state/use-sign-out.ts'
import { morePlaces, type Place, places, serverPages } from './places.ts'
import { useShell } from './shell-context.ts'
import { useSummary } from './summary.ts'
import { ThemeButton } from './theme-button.tsx'

const NameDialog = part(() => import('../features/people/name-dialog.tsx'))

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
          <a key={href} href={serverPage(href)} className={row}>
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

/** How much waits at a page. */
export function PlaceCount({ of }: { of: Place['to'] }): ReactNode {
  const summary = useSummary()
  if (!summary) return null
  if (of === '/inbox') return <Count of={summary.needs_you + summary.failed_triggers} tone="needs" label="need you" />
  if (of === '/notifications') return <Count of={summary.unread_notifications} tone="accent" label="unread" />
  if (of === '/triggers') return <Count of={summary.failed_triggers} tone="failed" label="failed" />
  if (of === '/backlog') return <Count of={summary.backlog} label="queued" />
  return null
}

function ViewerMenu(): ReactNode {
  const { data: viewer } = useViewer()
  const signOut = useSignOut()
  const shell = useShell()
  const [isNaming, setNaming] = useState(false)
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
          { label: 'Sign out', icon: 'log-out', onSelect: signOut },
        ]}
      >
        <span className="max-w-24 truncate">{viewer?.name ?? 'No name'}</span>
      </Menu>
      {isNaming && <NameDialog isOpen onClose={() => setNaming(false)} />}
    </>
  )
}
