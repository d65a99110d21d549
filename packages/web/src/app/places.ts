import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../shared/kit/icon.tsx'

export type Place = {
  to: NonNullable<LinkProps['to']>
  label: string
  icon: IconName
  /** The keys that open it. */
  keys?: string
}

/** The rail, the "More" sheet of a phone and the palette show these, in this order. */
export const places: readonly Place[] = [
  { to: '/inbox', label: 'Inbox', icon: 'inbox', keys: 'g i' },
  { to: '/', label: 'Board', icon: 'layout-list', keys: 'g b' },
  { to: '/backlog', label: 'Backlog', icon: 'flag', keys: 'g l' },
  { to: '/triggers', label: 'Triggers', icon: 'timer', keys: 'g t' },
  { to: '/costs', label: 'Costs', icon: 'dollar-sign', keys: 'g c' },
  { to: '/health-report', label: 'Health', icon: 'heart-pulse', keys: 'g h' },
]

export const morePlaces: readonly Place[] = [
  { to: '/search', label: 'Search', icon: 'search', keys: '/' },
  { to: '/notifications', label: 'Notifications', icon: 'bell', keys: 'g n' },
  { to: '/outcomes', label: 'Outcomes', icon: 'chart-column', keys: 'g o' },
  { to: '/gate_decisions', label: 'Gate decisions', icon: 'gavel' },
  { to: '/catalog', label: 'Catalog', icon: 'book-open' },
  { to: '/connectors', label: 'Connectors', icon: 'plug' },
  { to: '/inference', label: 'Inference', icon: 'brain' },
  { to: '/clis', label: 'CLIs', icon: 'terminal' },
  { to: '/settings', label: 'Settings', icon: 'settings', keys: 'g s' },
]

/** Pages that the server renders itself: they work when this bundle does not. */
export const serverPages: readonly { href: string; label: string; icon: IconName }[] = [
  { href: '/jobs', label: 'Jobs', icon: 'list-ordered' },
  { href: '/supervisor', label: 'Supervisor', icon: 'gauge' },
  { href: '/docs', label: 'API reference', icon: 'file-text' },
]
