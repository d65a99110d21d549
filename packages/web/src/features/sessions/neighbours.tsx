import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useCommands } from '../../shared/keys/commands.tsx'
import { IconButton } from '../../shared/kit/button.tsx'

/** The session before and after this one in the list that the person came from; nothing if they came from none. */
export function Neighbours({ id }: { id: number }): ReactNode {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const ids = useMemo(() => {
    const boards = cache.getQueriesData<Result<'board.show'>>({ queryKey: ['board.show'] })
    const lists = cache.getQueriesData<Result<'sessions.list'>>({ queryKey: ['sessions.list'] })
    const all = [
      ...boards.map(([, board]) => board?.sections.flatMap(({ cards }) => cards.map((card) => card.id)) ?? []),
      ...lists.map(([, list]) => list?.sessions.map((session) => session.id) ?? []),
    ]
    return all.find((each) => each.includes(id)) ?? []
  }, [cache, id])
  const place = ids.indexOf(id)
  const go = (to: number | undefined) => {
    if (to !== undefined) void navigate({ to: '/sessions/$id', params: { id: String(to) } })
  }
  const before = place > 0 ? ids[place - 1] : undefined
  const after = place >= 0 ? ids[place + 1] : undefined
  useCommands([
    { id: 'previous-session', label: 'Previous session', group: 'Session', keys: '[', run: () => go(before) },
    { id: 'next-session', label: 'Next session', group: 'Session', keys: ']', run: () => go(after) },
  ])
  if (place < 0 || ids.length < 2) return null
  return (
    <nav aria-label="Sessions of the list" className="hidden shrink-0 items-center md:flex">
      <IconButton
        size="sm"
        icon="chevron-left"
        label="Previous session"
        disabled={before === undefined}
        onClick={() => go(before)}
      />
      <span className="tabular whitespace-nowrap text-muted text-sm">
        {place + 1} of {ids.length}
      </span>
      <IconButton
        size="sm"
        icon="chevron-right"
        label="Next session"
        disabled={after === undefined}
        onClick={() => go(after)}
      />
    </nav>
  )
}
