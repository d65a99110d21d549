import { limits } from '@yardmaster/contract/limits'
import type { NewSession } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../../platform/db/database.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { ClassByGenesis, SessionRow } from '../../sessions/session.ts'
import { highestSpotPrecedence, lockPlacement } from '../../sessions/session.ts'

const topOfSpot = 'top_of_spot'
/** Leaves free ranks between two placements. */
const step = 5

type Placed = Pick<NewSession, 'place' | 'precedence'>

export function refuseBadPlacement({ place, precedence }: Placed): void {
  if (!place) return
  if (precedence !== undefined && precedence !== null) {
    refuse('invalid_placement', 'Give either place or precedence, not both')
  }
  if (place !== topOfSpot) refuse('invalid_placement', `Unknown place: ${JSON.stringify(place)}. Valid: ${topOfSpot}.`)
}

/** The initial rank: the requested one, else one above the parent's, else 0. */
export async function choosePrecedence(
  tx: Transaction,
  { place, precedence }: Placed,
  { classByGenesis, parent }: { classByGenesis: ClassByGenesis; parent: Pick<SessionRow, 'precedence'> | undefined },
): Promise<number> {
  if (place) return topRank(tx, classByGenesis)
  return precedence ?? (parent ? Math.min(parent.precedence + 1, limits.precedence.max) : 0)
}

/** Above every other spot session that is not archived. A lock serialises placements, so that each gets its own rank. */
export async function topRank(tx: Transaction, classByGenesis: ClassByGenesis, excludedId?: number): Promise<number> {
  await lockPlacement(tx)
  const highest = await highestSpotPrecedence(tx, classByGenesis, excludedId)
  return Math.min((highest ?? 0) + step, limits.precedence.max)
}
