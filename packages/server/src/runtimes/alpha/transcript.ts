import { type Fields, fieldsOf, listOf, parseFields, stringOf } from './fields.ts'

/**
 * The entry with the prompt proves that the CLI received it; the CLI's earlier note of an incoming prompt does not. A model's
 * answer proves it too: an incomplete line before the prompt may have made the prompt's line unreadable.
 */
export function showsReceipt(line: string): boolean {
  const entry = parseFields(line)
  if (!entry || entry.isSidechain === true) return false
  return isPrompt(entry) || isAnswer(entry) || isCommandOutput(entry)
}

function isPrompt(entry: Fields): boolean {
  if (entry.type !== 'user' || entry.isMeta === true || entry.isCompactSummary === true) return false
  const content = fieldsOf(entry.message)?.content
  const texts =
    typeof content === 'string' ? [content] : listOf(content).map((block) => stringOf(fieldsOf(block)?.text))
  // A tool result has no text, and the CLI records an interruption as a user message.
  return texts.some((text) => text !== undefined && !text.startsWith('[Request interrupted by user'))
}

function isAnswer(entry: Fields): boolean {
  return entry.type === 'assistant' && fieldsOf(entry.message) !== undefined
}

/** Of a command that the CLI does not know, this is the only entry. */
function isCommandOutput(entry: Fields): boolean {
  return entry.type === 'system' && entry.subtype === 'local_command'
}

/** Every entry of the conversation has a uuid. Of the other lines only known bookkeeping is dropped. */
export function isWorthKeeping(line: string): boolean {
  const entry = parseFields(line)
  if (!entry || stringOf(entry.uuid) !== undefined) return true
  const type = stringOf(entry.type) ?? ''
  return !bookkeeping.has(type) && !type.startsWith('api-request')
}

const bookkeeping: ReadonlySet<string> = new Set([
  'queue-operation',
  'last-prompt',
  'mode',
  'permission-mode',
  'file-history-snapshot',
  'atis-latch',
  'cost-state',
  'tools-used',
])
