import type { Settings } from '@yardmaster/contract/settings/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Configuration } from '@yardmaster/contract/triggers/conditions'
import type { Trigger, TriggerCondition } from '@yardmaster/contract/triggers/fields'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { classesByGenesis } from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { isRootMissing } from './catalog-references.ts'
import { describe } from './conditions/describe.ts'
import { genesisOfTypes, isReusable, windowOf } from './traits.ts'
import { selectConditionsOf, selectNow, selectTargets } from './trigger-store.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'

/** What the caller has read already. */
type Known = { conditions?: readonly ConditionRow[]; settings?: Settings }

/** Triggers as callers see them. */
export async function presentTriggers(
  app: App,
  db: Database | Transaction,
  rows: readonly TriggerRow[],
  known: Known = {},
): Promise<Trigger[]> {
  const ids = rows.map(({ id }) => id)
  const conditions = known.conditions ?? (await selectConditionsOf(db, ids))
  const targets = await selectTargets(
    db,
    rows.map((row) => (row.skip_if_pending_session && row.reuse_session ? row.last_session_id : null)),
  )
  const classes = classesByGenesis(known.settings ?? (await readSettings(db)))
  const hasBursts = rows.some((row) => row.burst_ends_at !== null)
  const now = hasBursts ? await selectNow(db) : app.clock.now()
  return rows.map((row) => {
    const own = conditions.filter((condition) => condition.trigger_id === row.id)
    const target = row.last_session_id === null ? undefined : targets.get(row.last_session_id)
    const hasChat = own.some(({ condition_type: type }) => type === 'chat')
    const isBursting = row.burst_ends_at !== null && row.burst_ends_at > now
    return {
      id: row.id,
      name: row.name,
      status: row.status,
      failed_at: when(row.failed_at),
      last_error: row.last_error,
      agent_root_name: row.agent_root_name,
      agent_root_missing_from_catalog: isRootMissing(app, row),
      unresolved_catalog_references: row.unresolved_references,
      prompt_template: row.prompt_template,
      goal: row.goal,
      reuse_session: row.reuse_session,
      enqueue_messages: row.enqueue_messages,
      resuscitate_archived: row.resuscitate_archived,
      skip_if_pending_session: row.skip_if_pending_session,
      skip_if_pending_session_inert:
        row.skip_if_pending_session && row.reuse_session && target !== undefined && isReusable(target),
      max_sessions_per_minute: row.max_sessions_per_minute,
      bursting: isBursting,
      burst_ends_at: isBursting ? when(row.burst_ends_at) : null,
      suppressed_event_count: row.suppressed_event_count,
      coalesce_window_seconds: row.coalesce_window_seconds,
      effective_coalesce_window_seconds: windowOf(row),
      coalesce_window_inert: row.coalesce_window_seconds !== null && !hasChat,
      missed_fire_count: row.missed_fire_count,
      first_missed_fire_at: when(row.first_missed_fire_at),
      scheduling_class: row.scheduling_class,
      effective_scheduling_class:
        row.scheduling_class ?? classes[genesisOfTypes(own.map(({ condition_type: type }) => type))],
      precedence: row.precedence,
      mcp_servers: row.mcp_servers,
      catalog_skills: row.catalog_skills,
      catalog_hooks: row.catalog_hooks,
      catalog_plugins: row.catalog_plugins,
      conditions: own.map(presentCondition),
      last_session_id: row.last_session_id,
      made_by_session_id: row.made_by_session_id,
      last_triggered_at: when(row.last_triggered_at),
      sessions_created_count: row.sessions_created_count,
      created_at: formatTimestamp(row.created_at),
      updated_at: formatTimestamp(row.updated_at),
    }
  })
}

export async function presentTrigger(
  app: App,
  db: Database | Transaction,
  row: TriggerRow,
  known: Known = {},
): Promise<Trigger> {
  const [trigger] = await presentTriggers(app, db, [row], known)
  if (!trigger) throw new Error('a trigger was presented without a result')
  return trigger
}

function presentCondition(row: ConditionRow): TriggerCondition {
  return {
    id: row.id,
    condition_type: row.condition_type,
    configuration: row.configuration,
    description: describe(row.condition_type, row.configuration as Configuration), // validated when it was written
    next_run_at: when(row.next_run_at),
    last_triggered_at: when(row.last_triggered_at),
    last_polled_at: when(row.last_polled_at),
  }
}

function when(time: Date | null): string | null {
  return time && formatTimestamp(time)
}
