import type { Transaction } from '../../platform/db/database.ts'
import { type Message, returnMessage } from './message-store.ts'
import { endQueuedTurns, type Turn } from './turn-store.ts'
import type { Withdrawal } from './turn-table.ts'

/**
 * Puts a prompt that the agent never received back at the head of the queue, with its origin. A heartbeat prompt is
 * dropped: the next heartbeat replaces it.
 */
export async function returnPrompt(tx: Transaction, turn: Turn): Promise<Message | undefined> {
  if (turn.prompt === '' || turn.source === 'heartbeat') return undefined
  return returnMessage(tx, {
    sessionId: turn.session_id,
    messageId: turn.message_id,
    content: turn.prompt,
    goal: turn.goal,
    triggerId: turn.trigger_id,
    isByPerson: turn.is_by_person,
    traceparent: turn.traceparent,
    origin: turn.source === 'recovery' ? 'automated_recovery_nudge' : 'caller',
  })
}

/** Turns queued turns back into messages, at the head of the queue and in their order. */
export async function returnQueuedTurns(tx: Transaction, sessionId: number, by: Withdrawal | null): Promise<void> {
  const turns = await endQueuedTurns(tx, sessionId, by)
  for (const turn of turns.toSorted((one, other) => other.sequence - one.sequence)) await returnPrompt(tx, turn)
}
