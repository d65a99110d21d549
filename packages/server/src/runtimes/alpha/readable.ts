import { type Fields, fieldsOf, parseFields, stringOf } from './fields.ts'

/**
 * The CLI's entries are readable as they are, except what the CLI adds: a hook's output becomes a notice, and the lists of
 * available agents, skills and tools are hidden. A command and its output are shown without the CLI's markup.
 */
export function readableEntry(line: string): unknown {
  const entry = parseFields(line)
  const attached = entry?.type === 'attachment' ? fieldsOf(entry.attachment) : undefined
  if (attached) return readableAttachment(attached, entry)
  if (entry?.type === 'system' && entry.subtype === 'local_command') return notice(outputOf(stringOf(entry.content)))
  const said = entry?.type === 'user' ? stringOf(fieldsOf(entry.message)?.content) : undefined
  if (said?.startsWith('<local-command-caveat>')) return undefined
  const command = said === undefined ? undefined : commandIn(said)
  return command === undefined ? entry : { type: 'user', message: { content: command } }
}

/** The command as the caller wrote it. The CLI records its parts in elements. */
function commandIn(said: string): string | undefined {
  const name = /^(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]*)<\/command-name>/.exec(said)?.[1]
  const args = /<command-args>([\s\S]*)<\/command-args>\s*$/.exec(said)?.[1] ?? ''
  return name === undefined ? undefined : `${name} ${args}`.trim()
}

function outputOf(content = ''): string {
  return /^<(local-command-std(?:out|err))>([\s\S]*)<\/\1>$/.exec(content)?.[2] ?? content
}

function readableAttachment(attached: Fields, entry: unknown): unknown {
  const type = stringOf(attached.type) ?? ''
  if (listings.has(type)) return undefined
  const output = type.startsWith('hook_') ? stringOf(attached.content) : undefined
  if (output === undefined) return entry
  return notice(output)
}

function notice(text: string): unknown {
  return text.trim() === '' ? undefined : { type: 'user', isMeta: true, message: { content: text } }
}

/** Pages of text at the start of a conversation and after every change. */
const listings: ReadonlySet<string> = new Set([
  'agent_listing_delta',
  'skill_listing',
  'deferred_tools_delta',
  'mcp_instructions_delta',
])
