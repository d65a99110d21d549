import { type ReactNode, useCallback, useMemo, useState } from 'react'
import type { Input } from '../../shared/api/client.ts'
import { part } from '../../shared/kit/part.tsx'
import type { Board, BoardSection } from './board-cache.ts'
import type { FurtherPage } from './more-cards.ts'

const MoreCards = part(() => import('./more-cards.ts'))

/** How the reading of the next cards of a section stands. */
export type Further = 'reading' | 'failed'
type Change = (pages: readonly FurtherPage[]) => readonly FurtherPage[]

const none: readonly FurtherPage[] = []

type LongSections = {
  board: Board | undefined
  /** Reads the next cards, or again the page that failed. */
  showMore: (section: string) => void
  furtherOf: (section: string) => Further | undefined
  readers: ReactNode
}

/** The board with the further pages of its long sections. Another filter or view begins with its first pages. */
export function useLongSections(board: Board | undefined, query: Input<'board.show'>): LongSections {
  const text = JSON.stringify(query)
  const [asked, setAsked] = useState({ text, pages: none })
  const pages = asked.text === text ? asked.pages : none
  const change = useCallback(
    (next: Change) => setAsked((before) => ({ text, pages: next(before.text === text ? before.pages : none) })),
    [text],
  )
  const whole = useMemo(
    () =>
      board && pages.length > 0 ? { ...board, sections: board.sections.map((each) => longer(each, pages)) } : board,
    [board, pages],
  )
  return {
    board: whole,
    showMore: (section) => change((before) => withNext(before, section)),
    furtherOf: useCallback((section) => furtherIn(pages, section), [pages]),
    readers: pages.map(({ section, page, attempt }) => (
      <MoreCards
        key={`${section} ${page} ${attempt} ${text}`}
        query={query}
        section={section}
        page={page}
        change={change}
      />
    )),
  }
}

function furtherIn(pages: readonly FurtherPage[], section: string): Further | undefined {
  const open = pages.find((each) => each.section === section && !each.cards)
  return open && (open.hasFailed ? 'failed' : 'reading')
}

/** One page at a time: without the second page, the third one would leave a gap. */
function withNext(pages: readonly FurtherPage[], section: string): readonly FurtherPage[] {
  const further = furtherIn(pages, section)
  if (further === 'reading') return pages
  if (further === 'failed')
    return pages.map((each) =>
      each.section === section && !each.cards ? { section, page: each.page, attempt: each.attempt + 1 } : each,
    )
  const page = pages.filter((each) => each.section === section).length + 2
  return [...pages, { section, page, attempt: 1 }]
}

/** A card that moved between two reads may be in both pages. */
function longer(section: BoardSection, pages: readonly FurtherPage[]): BoardSection {
  const more = pages.filter((page) => page.section === section.key).flatMap(({ cards = [] }) => cards)
  const cards = [...new Map([...section.cards, ...more].map((card) => [card.id, card])).values()]
  return { ...section, cards, shown: cards.length }
}
