import type { Settings, SettingsChanges } from '@yardmaster/contract/settings'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { settingsChanged } from './events.ts'
import { selectSettings, updateSettings } from './settings-store.ts'

/** The face of the room: the global settings that other rooms' rules name. */
export function readSettings(db: Database | Transaction): Promise<Settings> {
  return selectSettings(db)
}

/** Only the keys that are given change. A runtime or model that nobody registered is refused. */
export async function changeSettings(app: App, changes: SettingsChanges): Promise<Settings> {
  if (Object.keys(changes).length === 0) return readSettings(app.db)
  return transact(app.db, async (tx) => {
    const settings = { ...(await selectSettings(tx, { isLocked: true })), ...changes }
    // One that has gone since it was chosen must not stand in the way of other changes.
    if ('default_runtime' in changes || 'default_model' in changes) refuseUnknownRuntime(app, settings)
    await updateSettings(tx, changes)
    await app.events.publish(tx, settingsChanged, { payload: { changed: Object.keys(changes) } })
    return settings
  })
}

/** The Uncategorized section has no row of its own; its place on the board is kept here. */
export async function placeUncategorized(tx: Transaction, position: number): Promise<void> {
  await updateSettings(tx, { uncategorized_position: position })
}

/** On a machine without any vendor's agent the first start chooses the built-in one, so that a session can run at once. */
export async function chooseRuntimeAtFirstStart(app: App, choice: string): Promise<void> {
  const settings = await selectSettings(app.db)
  if (settings.default_runtime === null) await changeSettings(app, { default_runtime: choice })
}

/** The model is held against the runtime that sessions get by default: the first registered one when none is chosen. */
function refuseUnknownRuntime(app: App, { default_runtime, default_model }: Settings): void {
  const runtime = app.runtimes.find(default_runtime ?? app.runtimes.names()[0] ?? '')
  if (!runtime) refuse('validation_failed', `Default runtime ${default_runtime} is not a valid agent runtime`)
  const models = runtime.models().map(({ id }) => id)
  if (default_model !== null && !models.includes(default_model)) {
    refuse(
      'validation_failed',
      `Default model ${default_model} is not a model of ${runtime.name}; valid: ${models.join(', ')}`,
    )
  }
}
