import type { ConditionType, Configuration } from '@yardmaster/contract/triggers/conditions'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { selectConditionsByType } from './trigger-store.ts'
import type { ConditionRow } from './trigger-table.ts'

export type Condition<Type extends ConditionType> = Omit<ConditionRow, 'condition_type' | 'configuration'> & {
  condition_type: Type
  configuration: Configuration<Type>
}

/** The conditions of these types on enabled triggers, by id. */
export async function findConditions<Type extends ConditionType>(
  db: Database | Transaction,
  types: readonly Type[],
): Promise<Condition<Type>[]> {
  const rows = await selectConditionsByType(db, types)
  return rows as unknown as Condition<Type>[] // a configuration is validated by the condition's type before it is written
}
