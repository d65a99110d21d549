import { limits } from '@yardmaster/contract/limits'
import type { Genesis, NewSession, PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../../platform/db/database.ts'
import { refuse } from '../../../platform/refusal.ts'
import { countFamily } from '../../hierarchy/hierarchy.ts'
import type { SessionMetadata, SessionRow } from '../../sessions/session.ts'
import { selectSessionForReference } from '../../sessions/session.ts'

const { perSession, perTree } = limits.agentChildren

/**
 * Bounds what an agent that starts sessions without end can cost. Archived sessions do not count, so an agent that tidies up
 * can go on. The caller's transaction holds the tree's lock, so concurrent starts cannot exceed the limits.
 */
export async function refuseTooManyChildren(tx: Transaction, parentId: number): Promise<void> {
  const { children, tree } = await countFamily(tx, parentId)
  if (children >= perSession)
    refuse(
      'too_many_children',
      `Session ${parentId} has ${children} children, the most an agent may have; archive some`,
    )
  if (tree >= perTree)
    refuse(
      'too_many_children',
      `The tree of session ${parentId} has ${tree} sessions, the most agents may make; archive some`,
    )
}

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

export type Origin = {
  /** Of a session without a parent. */
  genesis: Genesis
  /** Whether the parent's agent creates it, which has a limit on its children. */
  isByAgent?: boolean
  /** Whether a person asked for it: its first turn may pass a spent budget. */
  isByPerson?: boolean
  /** What the creator records about the session besides what the request says. */
  metadata?: Pick<SessionMetadata, 'trigger_id' | 'trigger_name' | 'burst_notice'>
}

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
