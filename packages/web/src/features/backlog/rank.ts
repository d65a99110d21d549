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

/** Whether the rank lies outside the band of the item's cost. Only a pin can be there. */
export function isOutsideBand({
  estimated_cost: cost,
  precedence,
}: Pick<Item, 'estimated_cost' | 'precedence'>): boolean {
  const band = ranking.bands.find((each) => each.cost === cost)
  return band !== undefined && (precedence < band.floor || precedence > band.ceiling)
}

type Place = {
  /** The neighbours that are shown, of which at least one exists. */
  above: Ranked | undefined
  below: Ranked | undefined
  /** The neighbour beside which the item was put: it lands in that one's band. */
  near: 'above' | 'below'
  /** Whether a filter or another page hides items beyond the only neighbour. */
  hasMore: boolean
}

/**
 * A rank at which the item stands at the place, or undefined if there is none. Of two items with one rank, the older one
 * comes first, so a rank that a neighbour has may do too.
 */
export function rankAt(item: Ranked, { above, below, near, hasMore }: Place): number | undefined {
  const isNearAbove = above !== undefined && (near === 'above' || !below)
  const anchor = isNearAbove ? above : below
  if (!anchor) return undefined
  const room = above && below ? Math.floor((above.precedence - below.precedence) / 2) : hasMore ? 1 : ranking.gap
  const step = Math.min(room, ranking.gap)
  const wanted = Math.max(min, Math.min(anchor.precedence + (isNearAbove ? -step : step), max))
  return [wanted, above?.precedence, below?.precedence].find((precedence) => {
    if (precedence === undefined) return false
    const placed = { ...item, precedence }
    return (!above || isBefore(above, placed)) && (!below || isBefore(placed, below))
  })
}

/** The order of the server: `precedence desc, added_at asc, id asc`. */
function isBefore(one: Ranked, other: Ranked): boolean {
  if (one.precedence !== other.precedence) return one.precedence > other.precedence
  const [first, second] = [Date.parse(one.added_at), Date.parse(other.added_at)]
  return first === second ? one.id < other.id : first < second
}

/** The list with the item at this rank, the numbers of the places where they were. */
export function placedAt(items: Item[], id: number, rank: Pick<Item, 'precedence' | 'pinned'>): Item[] {
  if (!items.some((each) => each.id === id)) return items
  const positions = items.map(({ position }) => position)
  return items
    .map((each) => (each.id === id ? { ...each, ...rank } : each))
    .sort((one, other) => (isBefore(one, other) ? -1 : 1))
    .map((each, index) => ({ ...each, position: positions[index] ?? null }))
}
