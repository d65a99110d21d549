import type { Genesis, NewSession, PriorityClass } from '@yardmaster/contract/session'
import type { Transaction } from '../../../platform/db/database.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { SessionRow } from '../../sessions/session.ts'
import { selectSessionForReference } from '../../sessions/session.ts'

export const unknownParent = 'Parent session must reference an existing session'

/** The parent, which cannot be deleted before its child is there. Whatever its status, it may have children. */
export async function holdParent(
  tx: Transaction,
  { parent_session_id: ref }: Pick<NewSession, 'parent_session_id'>,
): Promise<SessionRow | undefined> {
  if (!ref) return undefined
  return (await selectSessionForReference(tx, ref)) ?? refuse('validation_failed', unknownParent)
}

type Inherited = { parent_session_id: number | null; genesis: Genesis; scheduling_class: PriorityClass | null }

/** How a session comes to be, when no parent spawned it. */
export type Origin = { genesis: Genesis }

/** A child takes its parent's genesis, and the parent's class if the parent chose one. Nothing else is inherited. */
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
