import type { Genesis, PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { Settings, SettingsChanges } from '@yardmaster/contract/settings/fields'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { settingsChanged } from './events.ts'
import { selectSettings, upsertSettings } from './settings-store.ts'

/** The room's public interface: the global settings. */
export function readSettings(db: Database | Transaction): Promise<Settings> {
  return selectSettings(db)
}

/** Changes only the given keys. Rejects an unregistered runtime or model. */
export async function changeSettings(app: App, wanted: SettingsChanges): Promise<Settings> {
  const changes = withoutDefaultClasses(wanted)
  if (Object.keys(changes).length === 0) return readSettings(app.db)
  return transact(app.db, async (tx) => {
    const settings = { ...(await selectSettings(tx, { isLocked: true })), ...changes }
    // A stored runtime that is no longer registered must not block other changes.
    if ('default_runtime' in changes || 'default_model' in changes) refuseUnknownRuntime(app, settings)
    await upsertSettings(tx, changes)
    await app.events.publish(tx, settingsChanged, { payload: { changed: Object.keys(changes) } })
    return settings
  })
}

/** Sessions that a person started are `priority`; sessions that a machine started are `spot`. */
export const defaultClasses: Readonly<Record<Genesis, PriorityClass>> = {
  web_ui: 'priority',
  chat: 'priority',
  forge_issue: 'spot',
  forge_label: 'spot',
  schedule: 'spot',
  ao_event: 'spot',
  api: 'spot',
  unknown: 'priority',
}

/** An override that equals the default is none: a later default applies to it. */
function withoutDefaultClasses(changes: SettingsChanges): SettingsChanges {
  const { genesis_class_overrides: overrides } = changes
  if (overrides === undefined) return changes
  const kept = Object.entries(overrides).filter(([genesis, chosen]) => chosen !== defaultClasses[genesis as Genesis]) // keys of the schema
  return { ...changes, genesis_class_overrides: Object.fromEntries(kept) }
}

/** The Uncategorized section has no row, so its position is a setting. */
export async function placeUncategorized(tx: Transaction, position: number): Promise<void> {
  await upsertSettings(tx, { uncategorized_position: position })
}

/** Stores the default runtime of the first start, so that sessions can run at once. */
export async function chooseRuntimeAtFirstStart(app: App, choice: string): Promise<void> {
  const settings = await selectSettings(app.db)
  if (settings.default_runtime === null) await changeSettings(app, { default_runtime: choice })
}

/** Validates the model against the default runtime, or against the first registered one if none is set. */
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
