import type { Board, BoardCard, BoardQuery, BoardSection } from '@yardmaster/contract/board/read'
import type { App } from '../app.ts'
import { listCategories } from '../categories/category.ts'
import { findCosts } from '../costs/cost.ts'
import { type ClassByGenesis, classesByGenesis } from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { selectCardRows } from './card-reading-store.ts'
import { presentCard, roundedToCents } from './present-card.ts'
import { type SectionRow, selectSections } from './section-store.ts'

/** The whole board in five queries, however many sessions it has. */
export async function showBoard(app: App, query: BoardQuery): Promise<Board> {
  const settings = await readSettings(app.db)
  const classByGenesis = classesByGenesis(settings)
  const [rows, headings] = await Promise.all([
    selectSections(app.db, query, classByGenesis),
    headingsOf(app, query, settings.uncategorized_position),
  ])
  const chosen = headings.filter(({ key }) => !query.section || key === query.section)
  const sections = chosen.map((heading) => ({ heading, ids: idsOf(rows, heading) }))
  const costs = await findCosts(
    app,
    sections.flatMap(({ ids }) => ids),
  )
  const pages = sections.map(({ heading, ids }) => ({ heading, ids, shown: pageOf(ids, query) }))
  const cards = await findKnownCards(
    app,
    pages.flatMap(({ shown }) => shown),
    { classByGenesis, costs },
  )
  const presented = pages.map(({ heading, ids, shown }): BoardSection => {
    const found = shown.flatMap((id) => cards.get(id) ?? [])
    const cost = ids.reduce((sum, id) => sum + (costs.get(id) ?? 0), 0)
    return { ...heading, total: ids.length, shown: found.length, cost_usd: roundedToCents(cost), cards: found }
  })
  return {
    view: query.view,
    page: query.page,
    per_section: query.per_section,
    total: presented.reduce((sum, section) => sum + section.total, 0),
    shown: presented.reduce((sum, section) => sum + section.shown, 0),
    sections: presented,
  }
}

type Known = { classByGenesis: ClassByGenesis; costs: ReadonlyMap<number, number> }

/** Cards by session. A session that was deleted meanwhile has none. */
export async function findKnownCards(
  app: App,
  ids: readonly number[],
  { classByGenesis, costs }: Known,
): Promise<ReadonlyMap<number, BoardCard>> {
  const rows = await selectCardRows(app.db, ids)
  const now = app.clock.now()
  const redact = app.redactor.excerpt
  return new Map(
    rows.map((row) => [row.id, presentCard(row, { now, classByGenesis, cost: costs.get(row.id), redact })]),
  )
}

type Heading = Pick<BoardSection, 'key' | 'title' | 'category_id' | 'frozen'>

const otherHeadings: Record<Exclude<BoardQuery['view'], 'categories'>, Heading[]> = {
  touched: [{ key: 'all', title: 'Last touched' }],
  created: [{ key: 'all', title: 'Newest' }],
  ranked: [
    { key: 'running', title: 'Running' },
    { key: 'queue', title: 'Queue' },
    { key: 'resting', title: 'At rest' },
  ],
}

async function headingsOf(app: App, { view }: BoardQuery, uncategorizedPosition: number): Promise<Heading[]> {
  if (view !== 'categories') return otherHeadings[view]
  const categories = await listCategories(app)
  const headings = categories.map(
    ({ id, name, is_frozen }): Heading => ({
      key: `category:${id}`,
      title: name,
      category_id: id,
      ...(is_frozen && { frozen: true }),
    }),
  )
  const above = categories.filter(({ position }) => position < uncategorizedPosition).length
  return headings.toSpliced(above, 0, { key: 'uncategorized', title: 'Uncategorized' })
}

function idsOf(rows: readonly SectionRow[], { key, category_id: categoryId }: Heading): readonly number[] {
  const name = key === 'uncategorized' ? null : (categoryId?.toString() ?? key)
  return rows.find((row) => row.key === name)?.ids ?? []
}

function pageOf(ids: readonly number[], { page, per_section: size }: BoardQuery): readonly number[] {
  return ids.slice((page - 1) * size, page * size)
}
