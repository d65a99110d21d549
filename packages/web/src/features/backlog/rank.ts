import { ranking } from '@yardmaster/contract/backlog/vocabulary'
import { limits } from '@yardmaster/contract/limits'
import type { Result } from '../../shared/api/client.ts'

export type Item = Result<'work_backlog_items.list'>['work_backlog_items'][number]

type Ranked = Pick<Item, 'id' | 'added_at' | 'precedence'>

const { min, max } = limits.backlog.precedence
const [small, medium, large] = ranking.bands

/** The stretches of ranks from the top. Only items that were placed by hand lie outside of the bands. */
const stretches = [
  { name: 'Above the bands', note: 'placed by hand', above: small.ceiling },
  { name: 'Small cost', note: `ranks ${small.floor} to ${small.ceiling}`, above: small.floor - 1 },
  { name: 'Between small and medium', note: 'placed by hand', above: medium.ceiling },
  { name: 'Medium cost', note: `ranks ${medium.floor} to ${medium.ceiling}`, above: medium.floor - 1 },
  { name: 'Large cost', note: `ranks ${large.floor} to ${large.ceiling}`, above: large.floor - 1 },
  { name: 'Below the bands', note: 'placed by hand', above: Number.NEGATIVE_INFINITY },
] as const

export type Stretch = (typeof stretches)[number]

export function stretchOf({ precedence }: Pick<Item, 'precedence'>): Stretch {
  return stretches.find(({ above }) => precedence > above) ?? stretches[5]
}

/**
 * A rank at which the item stands between two others, or undefined if there is none. Of two items with one rank, the older one
 * comes first, so a rank that a neighbour has may do too.
 */
export function rankBetween(item: Ranked, above: Ranked | undefined, below: Ranked | undefined): number | undefined {
  if (!above && !below) return item.precedence
  if (!above) return below && Math.min(below.precedence + ranking.gap, max)
  if (!below) return Math.max(above.precedence - ranking.gap, min)
  const middle = Math.floor((above.precedence + below.precedence) / 2)
  return [middle, above.precedence, below.precedence].find((precedence) => {
    const placed = { ...item, precedence }
    return isBefore(above, placed) && isBefore(placed, below)
  })
}

/** The order of the server: `precedence desc, added_at asc, id asc`. */
function isBefore(one: Ranked, other: Ranked): boolean {
  if (one.precedence !== other.precedence) return one.precedence > other.precedence
  const [first, second] = [Date.parse(one.added_at), Date.parse(other.added_at)]
  return first === second ? one.id < other.id : first < second
}

/** The list as it will be: the moved item at its new place, the numbers of the places where they were. */
export function moved(items: readonly Item[], id: number, to: number): Item[] {
  const item = items.find((each) => each.id === id)
  if (!item) return [...items]
  const others = items.filter((each) => each.id !== id)
  const ordered = [...others.slice(0, to), { ...item, pinned: true }, ...others.slice(to)]
  const positions = items.map(({ position }) => position)
  return ordered.map((each, index) => ({ ...each, position: positions[index] ?? each.position }))
}
