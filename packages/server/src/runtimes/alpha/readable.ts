import { type Fields, fieldsOf, parseFields, stringOf } from './fields.ts'

/**
 * The CLI's entries are readable as they are, except the attachments that the CLI adds: a hook's output becomes a notice, and
 * the lists of available agents, skills and tools are hidden.
 */
export function readableEntry(line: string): unknown {
  const entry = parseFields(line)
  const attached = entry?.type === 'attachment' ? fieldsOf(entry.attachment) : undefined
  return attached ? readableAttachment(attached, entry) : entry
}

function readableAttachment(attached: Fields, entry: unknown): unknown {
  const type = stringOf(attached.type) ?? ''
  if (listings.has(type)) return undefined
  const output = type.startsWith('hook_') ? stringOf(attached.content) : undefined
  if (output === undefined) return entry
  return output.trim() === '' ? undefined : { type: 'user', isMeta: true, message: { content: output } }
}

/** Pages of text at the start of a conversation and after every change. */
const listings: ReadonlySet<string> = new Set([
  'agent_listing_delta',
  'skill_listing',
  'deferred_tools_delta',
  'mcp_instructions_delta',
])
