import {
  type ParentMessage,
  type ParentMessageReason,
  parentMessageReasons,
} from '@yardmaster/contract/conversation/parent-message'
import type { SessionRef } from '@yardmaster/contract/identifiers'
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
 * Delivers a child's report to its parent as a follow-up. The recorded parent is the only possible target. The parent's
 * goal stays, and no uncle is recorded because the two sessions are related already.
 */
export async function messageParent(app: App, ref: SessionRef, request: ParentMessage): Promise<ParentMessageOutcome> {
  const child = await findSession(app.db, ref)
  const { message, reason } = readReport(request)
  const prompt = frameReport(child, { message, reason })
  const parentId = findParentId(child)
  const outcome = await deliver(app, parentId, {
    prompt,
    isImmediate: request.force_immediate,
    mayUnarchive: request.unarchive_parent,
  })
  const how = `(reason: ${reason}, by ${entryPoint}): ${outcome.delivery}.`
  await noteIfExists(app, parentId, `Child session #${child.id} reported to this session #${parentId} ${how}`)
  await noteIfExists(app, child.id, `This session #${child.id} reported to its parent session #${parentId} ${how}`)
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

/** The parent's status may change between the check and the lock; then both are repeated. */
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
      return {
        ...(await followUp(app, { id: parentId }, { prompt, goal: null, isImmediate, isByPerson: false })),
        wasUnarchived,
      }
    } catch (error) {
      const refusal = asRefusal(error)
      const hasStatusChanged = refusal.kind === 'cannot_follow_up' || refusal.kind === 'not_archived'
      if (hasStatusChanged && attempt < attempts) continue
      refuseDelivery(parentId, refusal, wasUnarchived)
    }
  }
}

/** Refuses a parent that cannot receive a message. True if an archived parent was restored. */
async function makeReachable(app: App, parentId: number, mayUnarchive: boolean): Promise<boolean> {
  const { status } = await findSession(app.db, { id: parentId })
  if (status === 'failed') {
    refuse('parent_unavailable', `Parent session #${parentId} is failed and cannot receive messages; restart it first`)
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

/** Queue positions are assigned under the session's lock. A writer without the lock can still take the same position. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (violatedConstraint(error) !== 'enqueued_messages_position') throw error
  return new Refusal('parent_unavailable', ['Message position conflict, please retry'])
}

/** Translates every refusal on the way to the parent to this operation's error label. */
function refuseDelivery(parentId: number, { kind, messages }: Refusal, wasUnarchived: boolean): never {
  const restored = wasUnarchived ? [`Parent session #${parentId} was nevertheless restored from the archive`] : []
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

/** The message is already delivered, so a session that was deleted in the meantime is no error. */
async function noteIfExists(app: App, sessionId: number, text: string): Promise<void> {
  await transact(app.db, async (tx) => {
    if (await lockSessionIfThere(tx, { id: sessionId })) await note(app, tx, sessionId, text)
  })
}
