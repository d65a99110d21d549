import type { SessionRef } from '@yardmaster/contract/identifiers'
import { type ParentMessage, type ParentMessageReason, parentMessageReasons } from '@yardmaster/contract/parent-message'
import { transact } from '../../platform/db/transact.ts'
import { violatedConstraint } from '../../platform/db/violated-constraint.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { unarchiveSession } from '../lifecycle/lifecycle.ts'
import { note } from '../logs/log.ts'
import { findSession, lockSessionIfThere, type SessionRow } from '../sessions/session.ts'
import { type FollowUpOutcome, followUp } from './follow-up.ts'
import { frameReport } from './report.ts'

export type ParentMessageOutcome = FollowUpOutcome & { wasUnarchived: boolean }

const entryPoint = 'api_v1:sessions.message_parent'

/**
 * Carries what a child says to the session that spawned it, by the ways of a follow-up. Nobody names the target: it is the
 * parent on record. The goal of the parent is left alone, and no uncle is recorded, since the two are related already.
 */
export async function messageParent(app: App, ref: SessionRef, said: ParentMessage): Promise<ParentMessageOutcome> {
  const child = await findSession(app.db, ref)
  const { message, reason } = readReport(said)
  const prompt = frameReport(child, { message, reason })
  const parentId = findParentId(child)
  const outcome = await deliver(app, parentId, {
    prompt,
    isImmediate: said.force_immediate,
    mayUnarchive: said.unarchive_parent,
  })
  const how = `(reason: ${reason}, by ${entryPoint}): ${outcome.delivery}.`
  await noteIfThere(app, parentId, `Child session #${child.id} reported to this session #${parentId} ${how}`)
  await noteIfThere(app, child.id, `This session #${child.id} reported to its parent session #${parentId} ${how}`)
  return outcome
}

function readReport({ message, reason }: ParentMessage): { message: string; reason: ParentMessageReason } {
  const text = message?.trim()
  if (!text) refuse('cannot_message_parent', 'message is required')
  const known = parentMessageReasons.find((candidate) => candidate === reason)
  if (!known) refuse('cannot_message_parent', `reason must be one of: ${parentMessageReasons.join(', ')}`)
  return { message: text, reason: known }
}

function findParentId({ id, parent_session_id: parentId }: SessionRow): number {
  if (parentId === null) refuse('cannot_message_parent', `Session #${id} has no parent session`)
  if (parentId === id) refuse('cannot_message_parent', `Session #${id} is its own parent`)
  return parentId
}

type Delivery = { prompt: string; isImmediate: boolean; mayUnarchive: boolean }

/** The parent may change between a look at it and its lock; then it is looked at again. */
const attempts = 3

async function deliver(
  app: App,
  parentId: number,
  { prompt, isImmediate, mayUnarchive }: Delivery,
): Promise<ParentMessageOutcome> {
  let wasUnarchived = false
  for (let attempt = 1; ; attempt += 1) {
    try {
      wasUnarchived = (await makeReachable(app, parentId, mayUnarchive)) || wasUnarchived
      return { ...(await followUp(app, { id: parentId }, { prompt, goal: null, isImmediate })), wasUnarchived }
    } catch (error) {
      const refusal = asRefusal(error)
      const hasMoved = refusal.kind === 'cannot_follow_up' || refusal.kind === 'not_archived'
      if (hasMoved && attempt < attempts) continue
      refuseDelivery(parentId, refusal, wasUnarchived)
    }
  }
}

/** Whether it had to be restored for it. */
async function makeReachable(app: App, parentId: number, mayUnarchive: boolean): Promise<boolean> {
  const { status } = await findSession(app.db, { id: parentId })
  if (status === 'failed') {
    refuse(
      'parent_unavailable',
      `Parent session #${parentId} is failed and reads nothing; it has to be restarted first`,
    )
  }
  if (status !== 'archived') return false
  if (!mayUnarchive) {
    refuse(
      'parent_unavailable',
      `Parent session #${parentId} is archived; send "unarchive_parent": true to restore it and deliver`,
    )
  }
  await unarchiveSession(app, { id: parentId })
  return true
}

/** Positions are given under a lock; whoever wrote one without it may still clash with ours. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (violatedConstraint(error) !== 'enqueued_messages_position') throw error
  return new Refusal('parent_unavailable', ['Message position conflict, please retry'])
}

/** Whatever bars the way to the parent is answered under the label of this operation. */
function refuseDelivery(parentId: number, { kind, messages }: Refusal, wasUnarchived: boolean): never {
  const restored = wasUnarchived ? [`Parent session #${parentId} has been restored from the archive all the same`] : []
  switch (kind) {
    case 'not_found':
      return refuse('cannot_message_parent', [`Parent session #${parentId} no longer exists`, ...restored])
    case 'restore_failed':
      return refuse('cannot_message_parent', [
        `Parent session #${parentId} could not be restored: ${messages.join(', ')}`,
        ...restored,
      ])
    default:
      return refuse('parent_unavailable', [...messages, ...restored])
  }
}

/** Either may have been deleted since; the message is delivered all the same. */
async function noteIfThere(app: App, sessionId: number, text: string): Promise<void> {
  await transact(app.db, async (tx) => {
    if (await lockSessionIfThere(tx, { id: sessionId })) await note(app, tx, sessionId, text)
  })
}
