import * as Ariakit from '@ariakit/react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { nameOfCard } from '../features/board/row-words.ts'
import { nameOfSession } from '../features/sessions/name-of-session.ts'
import { useRead } from '../shared/api/hooks.ts'
import { useAllCommands } from '../shared/keys/commands.tsx'
import { Icon, type IconName } from '../shared/kit/icon.tsx'
import { Keys } from '../shared/kit/keys.tsx'
import { ErrorNote } from '../shared/kit/notes.tsx'
import { Status } from '../shared/kit/status.tsx'
import { rankMatches } from './rank-matches.ts'
import { usePaletteCommands } from './use-palette-commands.ts'

type Entry = {
  id: string
  label: string
  group: string
  icon?: IconName
  keys?: string
  detail?: ReactNode
  run: () => void
}

const mostShown = 40
/** Fewer letters are in every transcript. */
const shortestSearch = 3
/** Every session that is not archived, the latest first: they are matched here, letter by letter. */
const recentSessions = { view: 'touched', per_section: 1000 } as const

/** Sessions, commands and pages by any part of their name; what is typed can also be searched in the transcripts. */
export default function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [typed, setTyped] = useState('')
  const text = useDeferredValue(typed.trim())
  const { entries, ...named } = useEntries(text)
  const found = useMemo(() => rankMatches(entries, text, ({ label }) => label).slice(0, mostShown), [entries, text])
  const search = useSearchEntry(text)
  const contents = useContents(text, found)
  const failed = [named, contents].find(({ error }) => error)
  const shown = text === '' ? found : [...found, ...contents.entries, search]
  const groups = [...new Set(shown.map(({ group }) => group))]
  return (
    <Ariakit.Dialog
      open
      onClose={onClose}
      aria-label="Search or do"
      backdrop={<div className="fixed inset-0 z-40 bg-scrim" />}
      className="fixed inset-x-4 top-[10dvh] z-50 mx-auto flex max-h-[70dvh] max-w-xl flex-col overflow-hidden rounded-lg bg-raised shadow-float"
    >
      <Ariakit.ComboboxProvider open includesBaseElement={false} setValue={setTyped}>
        <div className="flex h-12 shrink-0 items-center gap-2.5 border-line border-b px-4">
          <Icon name="search" className="text-muted" />
          <Ariakit.Combobox
            autoSelect="always"
            autoFocus
            aria-label="Search or do"
            placeholder="A session, a page, a command…"
            className="h-full grow bg-transparent text-lg outline-none"
          />
        </div>
        {failed && <ErrorNote error={failed.error} onRetry={failed.onRetry} />}
        <Ariakit.ComboboxList alwaysVisible className="min-h-0 overflow-y-auto p-1.5">
          {groups.map((group) => (
            <Ariakit.ComboboxGroup key={group} className="mb-1">
              <Ariakit.ComboboxGroupLabel className="px-2 py-1 font-semibold text-muted text-xs">
                {group}
              </Ariakit.ComboboxGroupLabel>
              {shown
                .filter((entry) => entry.group === group)
                .map(({ id, label, icon, keys, detail, run }) => (
                  <Ariakit.ComboboxItem
                    key={id}
                    focusOnHover
                    hideOnClick={false}
                    setValueOnClick={false}
                    onClick={() => {
                      onClose()
                      run()
                    }}
                    className="flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 data-[active-item]:bg-selected"
                  >
                    {icon && <Icon name={icon} className="text-muted" />}
                    <span className="grow truncate">{label}</span>
                    {detail}
                    {keys && <Keys of={keys} />}
                  </Ariakit.ComboboxItem>
                ))}
            </Ariakit.ComboboxGroup>
          ))}
        </Ariakit.ComboboxList>
      </Ariakit.ComboboxProvider>
    </Ariakit.Dialog>
  )
}

type Offered = { entries: readonly Entry[]; error: unknown; onRetry: () => void }

function useEntries(text: string): Offered {
  const navigate = useNavigate()
  usePaletteCommands()
  const commands = useAllCommands()
  const board = useRead('board.show', recentSessions)
  const entries = useMemo(() => {
    const cards = board.data?.sections.flatMap(({ cards }) => cards) ?? []
    const sessions = cards.map(
      (card): Entry => ({
        id: `session ${card.id}`,
        label: nameOfCard(card),
        group: 'Sessions',
        detail: <Status of={card.status} need={card.needs_you} />,
        run: () => void navigate({ to: '/sessions/$id', params: { id: String(card.id) } }),
      }),
    )
    const others = commands.filter(({ isHidden }) => !isHidden)
    return [...sessions.slice(0, text === '' ? 6 : undefined), ...others]
  }, [commands, board.data, navigate, text])
  return { entries, error: board.error, onRetry: () => void board.refetch() }
}

/** What the server finds in transcripts, without the sessions that are listed by their names already. */
function useContents(text: string, found: readonly Entry[]): Offered {
  const navigate = useNavigate()
  const input = { q: text, search_contents: true, include_matches: true, per_page: 5 }
  const isEnabled = text.length >= shortestSearch
  const { data, error, isPlaceholderData, refetch } = useRead('sessions.search', input, { isEnabled })
  const offered = { error: isEnabled && error, onRetry: () => void refetch() }
  if (!isEnabled || !data || isPlaceholderData) return { ...offered, entries: [] }
  const matches = ('matches' in data && data.matches) || {}
  const entries = data.sessions
    .filter(({ id }) => !found.some((entry) => entry.id === `session ${id}`))
    .map((session): Entry => {
      const [first] = matches[session.id] ?? []
      return {
        id: `content ${session.id}`,
        label: nameOfSession(session),
        group: 'In transcripts',
        icon: 'file-text',
        detail: <Status of={session.status} />,
        run: () =>
          void navigate({
            to: '/sessions/$id',
            params: { id: String(session.id) },
            ...(first && { hash: `e${first.sequence}` }),
          }),
      }
    })
  return { ...offered, entries }
}

function useSearchEntry(text: string): Entry {
  const navigate = useNavigate()
  return {
    id: 'search',
    label: `Search “${text}” in titles and transcripts`,
    group: 'Search',
    icon: 'search',
    run: () => void navigate({ to: '/search', search: { q: text } }),
  }
}
