import { limits } from '@yardmaster/contract/limits'
import { readBoolean } from '@yardmaster/contract/query'
import { type Configuration, readConditionType } from '@yardmaster/contract/triggers/conditions'
import type { ConditionAttributes } from '@yardmaster/contract/triggers/fields'
import { wholeNumber } from '@yardmaster/contract/whole-number'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { selectSession } from '../sessions/session.ts'
import { readCondition } from './conditions/read-condition.ts'
import { noteTriggerChange } from './trigger-change-store.ts'
import {
  type ConditionValues,
  deleteConditions,
  insertCondition,
  selectConditionsOf,
  updateCondition,
} from './trigger-store.ts'
import type { ConditionRow } from './trigger-table.ts'

/** What a request does to a trigger's conditions. */
export type ConditionEdits = {
  added: ConditionValues[]
  changed: { id: number; values: ConditionValues }[]
  removed: number[]
  problems: string[]
}

/** Reads nested conditions. Elements whose keys are all blank are ignored; conditions that are not named stay. */
export function readEdits(attributes: readonly ConditionAttributes[], stored: readonly ConditionRow[]): ConditionEdits {
  const edits: ConditionEdits = { added: [], changed: [], removed: [], problems: [] }
  // Before they are read: each costs a sentence in the answer, or a query.
  if (attributes.length > stored.length + limits.triggerConditions) return { ...edits, problems: [tooMany] }
  for (const attribute of attributes) {
    if (Object.values(attribute).every(isBlank)) continue
    const condition = isBlank(attribute.id) ? undefined : stored.find(({ id }) => id === wholeNumber(attribute.id))
    if (!isBlank(attribute.id) && !condition) {
      edits.problems.push(`Trigger conditions id ${JSON.stringify(attribute.id)} is not a condition of this trigger`)
    } else if (readBoolean(attribute._destroy) === true) {
      if (condition) edits.removed.push(condition.id)
    } else {
      readEdit(edits, attribute, condition)
    }
  }
  const count = stored.length + edits.added.length - new Set(edits.removed).size
  if (edits.problems.length === 0 && count < 1)
    edits.problems.push('Trigger conditions must have at least one condition')
  if (count > limits.triggerConditions) edits.problems.push(tooMany)
  return edits
}

const tooMany = `Trigger conditions has too many entries (maximum is ${limits.triggerConditions})`

function readEdit(edits: ConditionEdits, attribute: ConditionAttributes, condition: ConditionRow | undefined): void {
  const condition_type = isBlank(attribute.condition_type)
    ? condition?.condition_type
    : readConditionType(attribute.condition_type)
  if (!condition_type) {
    const problem = isBlank(attribute.condition_type) ? "can't be blank" : 'is not included in the list'
    edits.problems.push(`Trigger conditions condition type ${problem}`)
    return
  }
  const isUnchanged = attribute.configuration === undefined && condition?.condition_type === condition_type
  const given = isUnchanged ? condition.configuration : attribute.configuration
  if (typeof given !== 'object' || given === null || Array.isArray(given) || Object.keys(given).length === 0) {
    const isObject = given === undefined || given === null || given === '' || typeof given === 'object'
    const isEmpty = isObject && !Array.isArray(given)
    edits.problems.push(`Trigger conditions configuration ${isEmpty ? "can't be blank" : 'must be a hash'}`)
    return
  }
  const read = readCondition(condition_type, { ...given })
  if (read.problems) {
    edits.problems.push(...read.problems.map((problem) => `Trigger conditions configuration ${problem}`))
    return
  }
  const values = { condition_type, configuration: read.configuration, is_one_shot: read.isOneShot }
  if (condition) edits.changed.push({ id: condition.id, values })
  else edits.added.push(values)
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Problems that only the database can tell: a watched session that does not exist, or that is the one to be woken. */
export async function problemsWithWatches(
  db: Database | Transaction,
  { added, changed }: ConditionEdits,
  targetId: number | null,
): Promise<string[]> {
  const problems: string[] = []
  for (const values of [...added, ...changed.map((edit) => edit.values)]) {
    const watched = watchedSession(values)
    if (watched === undefined) continue
    const about = 'Trigger conditions configuration watched_session_id'
    if (watched === targetId) problems.push(`${about} cannot equal last_session_id (a session cannot watch itself)`)
    else if (!(await selectSession(db, { id: watched })))
      problems.push(`${about} ${watched} does not reference an existing session`)
  }
  return problems
}

export function watchedSession({
  condition_type,
  configuration,
}: Pick<ConditionRow, 'condition_type' | 'configuration'>): number | undefined {
  if (condition_type !== 'ao_event') return undefined
  return (configuration as Configuration<'ao_event'>).watched_session_id // validated when it was read
}

/** Writes the edits. Returns the trigger's conditions, and the ids of those that are new or say something else. */
export async function writeEdits(
  tx: Transaction,
  triggerId: number,
  { added, changed, removed }: ConditionEdits,
  stored: readonly ConditionRow[],
): Promise<{ conditions: ConditionRow[]; touched: ReadonlySet<number> }> {
  const touched = new Set<number>()
  for (const { id, values } of changed) {
    const before = stored.find((condition) => condition.id === id)
    if (before && isSame(before, values)) continue
    await updateCondition(tx, id, values)
    touched.add(id)
  }
  for (const values of added) touched.add(await insertCondition(tx, triggerId, values))
  await deleteConditions(tx, removed)
  if (touched.size > 0 || removed.length > 0) noteTriggerChange(tx, triggerId)
  return { conditions: await selectConditionsOf(tx, [triggerId]), touched }
}

export function isSame(row: ConditionRow, values: ConditionValues): boolean {
  const written = (configuration: object) =>
    JSON.stringify(Object.entries(configuration).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return row.condition_type === values.condition_type && written(row.configuration) === written(values.configuration)
}
