import type { Genesis, NewSession, PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../../platform/db/database.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { SessionRow } from '../../sessions/session.ts'
import { selectSessionForReference } from '../../sessions/session.ts'

export const unknownParent = 'Parent session must reference an existing session'

/** Locks the parent against deletion until the child is committed. A parent in any status may get children. */
export async function lockParent(
  tx: Transaction,
  { parent_session_id: ref }: Pick<NewSession, 'parent_session_id'>,
): Promise<SessionRow | undefined> {
  if (!ref) return undefined
  return (await selectSessionForReference(tx, ref)) ?? refuse('validation_failed', unknownParent)
}

type Inherited = { parent_session_id: number | null; genesis: Genesis; scheduling_class: PriorityClass | null }

/** The genesis of a session without a parent. */
export type Origin = { genesis: Genesis }

/** A child inherits its parent's genesis and, if set, its parent's explicit class. It inherits nothing else. */
export function inherited(
  parent: SessionRow | undefined,
  { genesis }: Origin,
  { scheduling_class }: Pick<NewSession, 'scheduling_class'>,
): Inherited {
  return {
    parent_session_id: parent?.id ?? null,
    genesis: parent?.genesis ?? genesis,
    scheduling_class: scheduling_class ?? parent?.scheduling_class ?? null,
  }
}
