import { isByUser, isContext, type RolloutLine, readRolloutLine } from './rollout-line.ts'

/** Codex writes the prompt to the rollout before it calls the model. The lines before the prompt are preparation. */
export function showsReceipt(line: string): boolean {
  const entry = line.includes('"user"') ? readRolloutLine(line) : undefined
  return entry !== undefined && isByUser(entry)
}

/**
 * Keeps the conversation and its turns. Drops what codex regenerates when it needs it (system prompt, tools, world state), the
 * usage records, and the second record of each item.
 */
export function isWorthKeeping(line: string): boolean {
  const entry = readRolloutLine(line)
  return entry !== undefined && !isBookkeeping(entry)
}

function isBookkeeping(entry: RolloutLine): boolean {
  const { type, payload } = entry
  if (type === 'event_msg') return bookkeepingEvents.has(payload.type ?? '')
  return bookkeepingTypes.has(type) || isContext(entry)
}

const bookkeepingTypes = new Set([
  'session_meta',
  'world_state',
  'turn_context',
  'token_usage_record',
  'inter_agent_communication_metadata',
])

const bookkeepingEvents = new Set([
  'item_completed',
  'token_count',
  'thread_settings_applied',
  'user_message',
  'agent_message',
  'agent_reasoning',
])
