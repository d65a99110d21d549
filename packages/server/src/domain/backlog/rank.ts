import { type Band, type EstimatedCost, ranking } from '@yardmaster/contract/backlog/vocabulary'
import type { Transaction } from '../../platform/db/database.ts'
import { countPeers, respacePeers, selectLowestPeer, selectMisplaced, updatePrecedence } from './rank-store.ts'

type Place = { precedence: number; isRespaced: boolean }

/**
 * A rank behind all items of the band that are not pinned. Near the floor the band is respaced to make room. A band with an
 * item on every rank shares its lowest one: items of one rank are ordered by their ids, so the order stays exact and no band is
 * ever full. The caller holds the lock.
 */
export async function placeLast(tx: Transaction, cost: EstimatedCost, exceptId?: number): Promise<Place> {
  const { floor, base, ceiling } = bandOf(cost)
  const peers = { cost, from: floor, to: ceiling, exceptId }
  const lowest = await selectLowestPeer(tx, peers)
  const next = lowest === undefined ? base : lowest - ranking.gap
  if (next > floor) return { precedence: next, isRespaced: false }
  const ranks = base - floor
  const count = await countPeers(tx, peers, ranks)
  if (count >= ranks) return { precedence: floor + 1, isRespaced: false }
  const step = Math.max(1, Math.floor(ranks / (count + 2)))
  await respacePeers(tx, peers, { base, step })
  const last = base - (count - 1) * step
  return { precedence: last - ranking.gap > floor ? last - ranking.gap : last - 1, isRespaced: true }
}

/** Places every item that is not pinned and not in its band, the oldest first. Every change of the queue ends with it. */
export async function rerank(tx: Transaction): Promise<void> {
  for (const { id, estimated_cost: cost } of await selectMisplaced(tx, ranking.bands)) {
    const { precedence } = await placeLast(tx, cost, id)
    await updatePrecedence(tx, id, precedence)
  }
}

function bandOf(cost: EstimatedCost): Band {
  const band = ranking.bands.find((each) => each.cost === cost)
  if (!band) throw new Error(`no band for items of cost ${cost}`)
  return band
}
