import { isByUser, isContext, type RolloutLine, readRolloutLine } from './rollout-line.ts'

/** The prompt stands in the rollout before codex calls the model with it; what comes before it is preparation. */
export function showsReceipt(line: string): boolean {
  const entry = line.includes('"user"') ? readRolloutLine(line) : undefined
  return entry !== undefined && isByUser(entry)
}

/**
 * What tells of the conversation and of its turns. The rest is codex's own: what calls cost, its system prompt, its tools
 * and the state of its world, which it makes anew whenever it needs them, and a second account of each item.
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
