import { type Fields, fieldsOf, parseFields, stringOf } from './fields.ts'

/**
 * The CLI's entries are fit to be read as they are, but for what it attaches to the conversation by itself: what a hook
 * said is a notice, and what it tells the model of what there is on offer is not for people.
 */
export function readableEntry(line: string): unknown {
  const entry = parseFields(line)
  const attached = entry?.type === 'attachment' ? fieldsOf(entry.attachment) : undefined
  return attached ? readableAttachment(attached, entry) : entry
}

function readableAttachment(attached: Fields, entry: unknown): unknown {
  const type = stringOf(attached.type) ?? ''
  if (offers.has(type)) return undefined
  const said = type.startsWith('hook_') ? stringOf(attached.content) : undefined
  if (said === undefined) return entry
  return said.trim() === '' ? undefined : { type: 'user', isMeta: true, message: { content: said } }
}

/** Pages of agents, skills and tools, at the beginning of a conversation and whenever they change. */
const offers: ReadonlySet<string> = new Set([
  'agent_listing_delta',
  'skill_listing',
  'deferred_tools_delta',
  'mcp_instructions_delta',
])
