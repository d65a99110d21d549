import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { wakeAdmission } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { classesByGenesis, lockSessionIfThere, readMetadata, recordAccount } from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { selectPools } from './pool-store.ts'
import { type Parked, selectParked } from './session-store.ts'

/** Priority sessions that one sweep wakes for each runtime: a pool that has just recovered is not spent again at once. */
const mostPerSweep = 5

/**
 * Wakes sessions that wait for a pool which can serve: priority ones, the longest wait first, and then spot ones, which the
 * spot gate holds. Asks for the state and not for the change, so a session that was parked a moment too late is woken too.
 */
export async function wakeParked(app: App): Promise<void> {
  const classes = classesByGenesis(await readSettings(app.db))
  for (const { runtime, is_available } of await selectPools(app.db)) {
    if (!is_available) continue
    const parked = await selectParked(app.db, runtime, classes)
    const priority = parked.filter(({ class: its }) => its === 'priority')
    const spot = parked.filter(({ class: its }) => its === 'spot')
    for (const session of priority.slice(0, mostPerSweep)) await wake(app, session)
    if (priority.length <= mostPerSweep) for (const session of spot) await wake(app, session)
  }
}

async function wake(app: App, { id }: Parked): Promise<void> {
  await transact(app.db, async (tx) => {
    const session = await lockSessionIfThere(tx, { id })
    if (session?.status !== 'waiting' || readMetadata(session).auth_outage_reason === undefined) return
    await recordAccount(tx, id, {})
    await note(app, tx, id, 'An account can serve again; the turn starts.')
    await wakeAdmission(tx, id)
  })
}
