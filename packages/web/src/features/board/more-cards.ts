import { type ReactNode, useEffect } from 'react'
import type { Input } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import type { BoardSection } from './board-cache.ts'

/** A page after the first that a person asked for: without cards until it is read, or until it failed. */
export type FurtherPage = {
  section: string
  page: number
  /** Counts the readings that a person began. */
  attempt: number
  cards?: BoardSection['cards']
  hasFailed?: boolean
}

type MoreCardsProps = {
  query: Input<'board.show'>
  section: string
  page: number
  change: (next: (pages: readonly FurtherPage[]) => readonly FurtherPage[]) => void
}

/** No element: reads one more page of a section, and reads it again as the board is. Mounted again, it tries a failed one again. */
export default function MoreCards({ query, section, page, change }: MoreCardsProps): ReactNode {
  const { data, error } = useRead('board.show', { ...query, section, page })
  const cards = data && (data.sections[0]?.cards ?? [])
  const hasFailed = error !== null && !data
  useEffect(() => {
    if (!cards && !hasFailed) return
    change((pages) =>
      pages.map((each) =>
        each.section === section && each.page === page ? { ...each, hasFailed, ...(cards && { cards }) } : each,
      ),
    )
  }, [cards, hasFailed, change, section, page])
  return null
}
