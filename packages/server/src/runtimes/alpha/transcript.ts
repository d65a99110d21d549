import { type Fields, fieldsOf, listOf, parseFields, stringOf } from './fields.ts'

/**
 * The CLI notes that a prompt has come in before it takes it up; the entry with the prompt itself is the receipt. So is
 * whatever the model answered: the line with the prompt may have been spoilt by one that broke off before it.
 */
export function showsReceipt(line: string): boolean {
  const entry = parseFields(line)
  return entry !== undefined && entry.isSidechain !== true && (isPrompt(entry) || isAnswer(entry))
}

function isPrompt(entry: Fields): boolean {
  if (entry.type !== 'user' || entry.isMeta === true || entry.isCompactSummary === true) return false
  const content = fieldsOf(entry.message)?.content
  const texts =
    typeof content === 'string' ? [content] : listOf(content).map((block) => stringOf(fieldsOf(block)?.text))
  // A tool's result has no text of its own, and an interruption is noted as if the user had said it.
  return texts.some((text) => text !== undefined && !text.startsWith('[Request interrupted by user'))
}

function isAnswer(entry: Fields): boolean {
  return entry.type === 'assistant' && fieldsOf(entry.message) !== undefined
}

/** Every entry of the conversation has a uuid. Of the rest only what is known to be bookkeeping is dropped. */
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
