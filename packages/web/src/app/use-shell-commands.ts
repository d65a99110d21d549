import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { neighboursOf } from '../features/board/list-order.ts'
import { useNeedsYou } from '../features/needs-you/use-needs-you.ts'
import type { Result } from '../shared/api/client.ts'
import { keyOf } from '../shared/api/hooks.ts'
import { type Command, useCommands } from '../shared/keys/commands.tsx'
import { morePlaces, places } from './places.ts'
import type { ShellDialog } from './shell-context.ts'

/** What works on every page by a key. `usePaletteCommands` has what works there without one. */
export function useShellCommands(open: (dialog: ShellDialog) => void): void {
  const navigate = useNavigate()
  const pages: Command[] = [...places, ...morePlaces].map(({ to, label, icon, keys }) => ({
    id: `go ${to}`,
    label,
    group: 'Go to',
    icon,
    ...(keys && { keys }),
    run: () => void navigate({ to }),
  }))
  const cache = useQueryClient()
  const [, shown = ''] = /^\/sessions\/([^/]+)$/.exec(useLocation().pathname) ?? []
  /** An address may have the slug, of which only its page knows the session. */
  const shownSession = () =>
    Number(shown) || cache.getQueryData<Result<'sessions.show'>>(keyOf('sessions.show', { id: shown }))?.session.id
  const waiting = useNeedsYou().data?.sessions ?? []
  const openSession = (id: number | undefined) => {
    if (id !== undefined) void navigate({ to: '/sessions/$id', params: { id: String(id) } })
  }
  useCommands([
    {
      id: 'next waiting',
      label: 'Next that waits for you',
      group: 'Everywhere',
      keys: 'n',
      icon: 'inbox',
      run: () => {
        const id = shownSession()
        const at = waiting.findIndex(({ card }) => card.id === id)
        const next = waiting[(at + 1) % waiting.length]
        if (next) openSession(next.card.id)
        else void navigate({ to: '/inbox' })
      },
    },
    {
      id: 'previous in list',
      label: 'Previous session of the list',
      group: 'Everywhere',
      keys: '[',
      isHidden: true,
      run: () => openSession(neighboursOf(shownSession())?.previous),
    },
    {
      id: 'next in list',
      label: 'Next session of the list',
      group: 'Everywhere',
      keys: ']',
      isHidden: true,
      run: () => openSession(neighboursOf(shownSession())?.next),
    },
    {
      id: 'palette',
      label: 'Search or do',
      group: 'Everywhere',
      keys: 'mod+k',
      worksInFields: true,
      isHidden: true,
      run: () => open('palette'),
    },
    { id: 'keys', label: 'Show the keys', group: 'Everywhere', keys: '?', icon: 'keyboard', run: () => open('keys') },
    {
      id: 'new session',
      label: 'New session',
      group: 'Everywhere',
      keys: 'c',
      icon: 'plus',
      run: () => void navigate({ to: '/sessions/new' }),
    },
    ...pages,
  ])
}
