import type { BoardCard } from '@yardmaster/contract/board/read'
import type { App } from '../app.ts'
import { findCosts } from '../costs/cost.ts'
import { classesByGenesis } from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { findKnownCards } from './show-board.ts'

/** The face of the room: sessions as cards, and which of them wait for a person. */
export { isNeeding, needJoins, needKind } from './needs-store.ts'

/** Cards by session. A session that does not exist has none. */
export async function findCards(app: App, ids: readonly number[]): Promise<ReadonlyMap<number, BoardCard>> {
  const [settings, costs] = await Promise.all([readSettings(app.db), findCosts(app, ids)])
  return findKnownCards(app, ids, { classByGenesis: classesByGenesis(settings), costs })
}
