import type { NewTrigger, Trigger, TriggerChanges } from '@yardmaster/contract/triggers/fields'
import type { Updateable } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lookUp, selectArtifacts } from '../catalog/catalog.ts'
import { wakeAdmission } from '../inbox/inbox.ts'
import { selectSession } from '../sessions/session.ts'
import { armConditions } from './arm-trigger.ts'
import { artifactLists } from './catalog-references.ts'
import { presentTrigger } from './present.ts'
import { reclassifyWaiting } from './reclassify.ts'
import { sleepTarget } from './sleep-target.ts'
import {
  deleteTriggers,
  disarmConditions,
  insertTrigger,
  lockTrigger,
  selectConditionsOf,
  selectNow,
  selectTrigger,
  updateTrigger,
} from './trigger-store.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'
import { warningsAbout } from './warnings.ts'
import { type ConditionEdits, problemsWithWatches, readEdits, writeEdits } from './write-conditions.ts'

export type Saved = { trigger: Trigger; warnings: string[] }

type Values = Updateable<Tables['triggers']>

/** A change of the cap ends a burst in progress. */
const endedBurst = {
  burst_window_started_at: null,
  burst_window_count: 0,
  burst_window_session_ids: [],
  burst_ends_at: null,
} satisfies Values

/** Creates a trigger. One that follows up a session and has a one-time condition puts the session to sleep. */
export async function createTrigger(
  app: App,
  request: NewTrigger,
  { madeBy = null }: { madeBy?: number | null | undefined } = {},
): Promise<Saved> {
  const edits = readEdits(request.trigger_conditions_attributes ?? [], [])
  return transact(app.db, async (tx) => {
    const now = await selectNow(tx)
    const { problems, values } = readValues(app, request, undefined, now)
    await refuseProblems(tx, { problems, values, edits }, undefined)
    const { name, agent_root_name, prompt_template } = request
    const made = { name, agent_root_name, prompt_template, made_by_session_id: madeBy }
    const id = await insertTrigger(tx, { ...values, ...made })
    const { conditions, touched } = await writeEdits(tx, id, edits, [])
    const row = await reload(tx, id)
    if (row.status === 'enabled') {
      await sleepTarget(app, tx, row, conditions)
      await armConditions(app, tx, row, { conditions, touched, now })
    }
    return save(app, tx, row, { conditions: await selectConditionsOf(tx, [id]) })
  })
}

/** Changes only what the request names. */
export async function changeTrigger(app: App, id: number, request: TriggerChanges): Promise<Saved> {
  return transact(app.db, async (tx) => {
    const before = (await lockTrigger(tx, id)) ?? refuseMissing()
    const stored = await selectConditionsOf(tx, [id])
    const edits = readEdits(request.trigger_conditions_attributes ?? [], stored)
    const now = await selectNow(tx)
    const { problems, values } = readValues(app, request, before, now)
    await refuseProblems(tx, { problems, values, edits }, before)
    if (Object.keys(values).length > 0) await updateTrigger(tx, id, values)
    const { conditions, touched } = await writeEdits(tx, id, edits, stored)
    const row = await reload(tx, id)
    await rearm(app, tx, { before, row, conditions, touched, now })
    const hasNewClass = 'scheduling_class' in values && values.scheduling_class !== before.scheduling_class
    const reclassified = hasNewClass ? await reclassifyWaiting(app, tx, row) : undefined
    return save(app, tx, row, { conditions: await selectConditionsOf(tx, [id]), reclassified })
  })
}

/** Disables an enabled trigger; enables a disabled or failed one. */
export async function toggleTrigger(app: App, id: number): Promise<Trigger> {
  return transact(app.db, async (tx) => {
    const before = (await lockTrigger(tx, id)) ?? refuseMissing()
    const now = await selectNow(tx)
    await updateTrigger(tx, id, statusValues(before.status === 'enabled' ? 'disabled' : 'enabled', now))
    const row = await reload(tx, id)
    const conditions = await selectConditionsOf(tx, [id])
    await rearm(app, tx, { before, row, conditions, touched: new Set(), now })
    return presentTrigger(app, tx, row)
  })
}

export async function removeTrigger(app: App, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    const row = (await lockTrigger(tx, id)) ?? refuseMissing()
    await deleteTriggers(tx, [id])
    await releaseTarget(tx, row)
  })
}

type Change = {
  before: TriggerRow
  row: TriggerRow
  conditions: readonly ConditionRow[]
  touched: ReadonlySet<number>
  now: Date
}

/** An enabled trigger counts from now, as do the conditions that changed. One that is not enabled has nothing due. */
async function rearm(app: App, tx: Transaction, { before, row, conditions, touched, now }: Change): Promise<void> {
  if (row.status !== 'enabled') {
    await disarmConditions(tx, row.id)
    await releaseTarget(tx, row)
    return
  }
  const isNewlyEnabled = before.status !== 'enabled'
  const all = new Set(conditions.map(({ id }) => id))
  await armConditions(app, tx, row, { conditions, touched: isNewlyEnabled ? all : touched, now })
}

/** A first turn that waited for the wake may start. */
async function releaseTarget(tx: Transaction, { reuse_session, last_session_id: id }: TriggerRow): Promise<void> {
  if (reuse_session && id !== null) await wakeAdmission(tx, id)
}

async function reload(db: Database | Transaction, id: number): Promise<TriggerRow> {
  return (await selectTrigger(db, id)) ?? refuseMissing()
}

async function save(
  app: App,
  tx: Transaction,
  row: TriggerRow,
  { conditions, reclassified }: { conditions: readonly ConditionRow[]; reclassified?: number | undefined },
): Promise<Saved> {
  const trigger = await presentTrigger(app, tx, row)
  return {
    trigger: { ...trigger, ...(reclassified !== undefined && { reclassified_waiting_sessions: reclassified }) },
    warnings: await warningsAbout(app, row, conditions),
  }
}

/** The columns that a request sets, with the problems of what it names. Stored values are not checked again. */
function readValues(
  app: App,
  request: TriggerChanges,
  before: TriggerRow | undefined,
  now: Date,
): { values: Values; problems: string[] } {
  const { name, agent_root_name, prompt_template, goal, status, scheduling_class, precedence } = request
  const { max_sessions_per_minute: cap, coalesce_window_seconds: window, skip_if_pending_session: skips } = request
  const target = request.last_session_id === undefined ? request.session_id : request.last_session_id
  const isReusing = request.reuse_session ?? before?.reuse_session ?? false
  const problems: string[] = []
  if (target !== undefined && target !== null && !isReusing)
    problems.push('Last session can only be set when re-use session is enabled')
  const lists = readLists(app, request, before, problems)
  const isCapChanged = cap !== undefined && cap !== (before?.max_sessions_per_minute ?? null)
  return {
    problems,
    values: {
      ...(name !== undefined && { name }),
      ...(agent_root_name !== undefined && { agent_root_name }),
      ...(prompt_template !== undefined && { prompt_template }),
      ...(goal !== undefined && { goal: goal?.trim() ? goal : null }),
      ...(status !== undefined && status !== before?.status && statusValues(status, now)),
      ...(target !== undefined && { last_session_id: target }),
      ...(request.reuse_session !== undefined && { reuse_session: request.reuse_session }),
      // Without re-use they say nothing.
      ...reuseValues(request, before, isReusing),
      ...(skips !== undefined && { skip_if_pending_session: skips }),
      ...(cap !== undefined && { max_sessions_per_minute: cap }),
      ...(isCapChanged && endedBurst),
      ...(window !== undefined && { coalesce_window_seconds: window }),
      ...(scheduling_class !== undefined && { scheduling_class }),
      ...(precedence !== undefined && { precedence }),
      ...lists,
    },
  }
}

function reuseValues(request: TriggerChanges, before: TriggerRow | undefined, isReusing: boolean): Values {
  const { enqueue_messages, resuscitate_archived } = request
  if (!isReusing) return before ? { enqueue_messages: false, resuscitate_archived: false } : {}
  return {
    ...(enqueue_messages !== undefined && { enqueue_messages }),
    ...(resuscitate_archived !== undefined && { resuscitate_archived }),
  }
}

function statusValues(status: TriggerRow['status'], now: Date): Values {
  if (status === 'failed') return { status, failed_at: now }
  return { status, failed_at: null, last_error: null, failed_attempts: 0 }
}

/** A list that is sent as it is stored is not checked: a name that left the catalog must not block another change. */
function readLists(app: App, request: TriggerChanges, before: TriggerRow | undefined, problems: string[]): Values {
  const tree = app.catalog.current()
  const sent = artifactLists.flatMap((list) => {
    const given = request[list]
    if (given === undefined || given === null) return []
    return JSON.stringify(given) === JSON.stringify(before?.[list]) ? [] : [[list, given] as const]
  })
  const asked = Object.fromEntries(sent)
  problems.push(...selectArtifacts(tree, asked, undefined).problems)
  return Object.fromEntries(sent.map(([list, given]) => [list, lookUp(tree, list, given).known]))
}

type Read = { problems: readonly string[]; values: Values; edits: ConditionEdits }

async function refuseProblems(
  tx: Transaction,
  { problems, values, edits }: Read,
  before: TriggerRow | undefined,
): Promise<void> {
  const { last_session_id: target } = values
  const isUnknown = typeof target === 'number' && !(await selectSession(tx, { id: target }))
  const all = [
    ...problems,
    ...(isUnknown ? ['Last session must reference an existing session'] : []),
    ...edits.problems,
    ...(await problemsWithWatches(tx, edits, (target ?? before?.last_session_id ?? null) as number | null)), // a number of a request, or a row's
  ]
  if (all.length > 0) refuse('validation_failed', [...new Set(all)])
}
