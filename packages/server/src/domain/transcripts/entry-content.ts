import type { EntryKind, PartType } from '@yardmaster/contract/transcripts/entry-fields'
import { truncate } from '../../platform/truncate.ts'
import type { Runtime } from '../../runtimes/runtime.ts'
import { blocksOf, type Fields, isFields, parseEntry } from './entry-parts.ts'
import { renderContent } from './render.ts'

/** A stored line as a page shows it. */
export type EntryContent = { kind: EntryKind; model: string | null; writtenAt: string | null; parts: ContentPart[] }

export type ContentPart = {
  type: PartType
  text: string
  tool_use_id: string | null
  tool_name: string | null
  summary: string | null
  is_error: boolean | null
}

/** Hides a line that is not a JSON object, and one that its runtime hides. */
export function contentOf(line: string, readable: Runtime['readable']): EntryContent {
  const stored = parseEntry(line)
  const shown = readable ? readable(line) : stored
  const writtenAt = timeOf(stored?.timestamp)
  if (!isFields(shown)) return { kind: 'hidden', model: null, writtenAt, parts: [] }
  const message = isFields(shown.message) ? shown.message : shown
  const parts = partsIn(shown, message)
  return { kind: kindOf(shown, parts), model: stringOf(message.model), writtenAt, parts }
}

/** The texts of a stored line that people see. */
export function shownTexts(line: string, readable: Runtime['readable']): string[] {
  return contentOf(line, readable).parts.map(({ text }) => text)
}

function partsIn(entry: Fields, message: Fields): ContentPart[] {
  if (entry.type === 'tool_use' || entry.type === 'tool_result')
    return [partOf({ ...entry, ...message, type: entry.type })]
  const blocks = blocksOf(message)
  if (isSpoken(entry)) return blocks.map(partOf)
  return blocks.length > 0 ? blocks.map(partOf) : [plain('other', JSON.stringify(entry))]
}

function isSpoken({ type }: Fields): boolean {
  return type === 'user' || type === 'assistant'
}

function kindOf(entry: Fields, parts: readonly ContentPart[]): EntryKind {
  if (parts.length > 0 && parts.every(({ type }) => type === 'tool_result')) return 'tool_result'
  if (entry.type === 'assistant' || entry.type === 'tool_use') return 'assistant'
  if (entry.type !== 'user') return 'other'
  return entry.isMeta === true || entry.interruptedByShutdown === true ? 'notice' : 'prompt'
}

function partOf(block: Fields): ContentPart {
  switch (block.type) {
    case 'text':
      return plain('text', textOf(block.text))
    case 'thinking':
      return plain('thinking', textOf(block.thinking ?? block.text))
    case 'image':
      return plain('image', '')
    case 'tool_use': {
      const input = block.input ?? block.content ?? {}
      return {
        ...plain('tool_call', textOf(input)),
        tool_use_id: stringOf(block.id),
        tool_name: stringOf(block.name) ?? 'unknown',
        summary: summaryOf(input),
      }
    }
    case 'tool_result':
      return {
        ...plain('tool_result', renderContent(block.content)),
        tool_use_id: stringOf(block.tool_use_id),
        is_error: block.is_error === true,
      }
    default:
      return plain('other', JSON.stringify(block))
  }
}

function plain(type: PartType, text: string): ContentPart {
  return { type, text, tool_use_id: null, tool_name: null, summary: null, is_error: null }
}

/** What the tools of agents say about a call, the most telling first. */
const tellingKeys = [
  'command',
  'cmd',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'title',
  'question',
  'prompt',
]
const maxSummary = 200
/** With them a command reads in another order than it has; people judge calls by their summaries. */
const directionMark = /[\u202a-\u202e\u2066-\u2069]/g

function summaryOf(input: unknown): string {
  const told = isFields(input) ? tellingKeys.map((key) => input[key]).find(isTelling) : input
  const text = Array.isArray(told) ? told.map(textOf).join(' ') : textOf(told ?? input)
  // The start is enough, and the text may have megabytes.
  return truncate(
    text
      .slice(0, 4 * maxSummary)
      .replace(/\s+/g, ' ')
      .replace(directionMark, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`)
      .trim()
      .toWellFormed(),
    maxSummary,
    '…',
  )
}

function isTelling(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || (Array.isArray(value) && value.length > 0)
}

/** With milliseconds, for the time between two entries. Undefined or hostile values read as unknown. */
function timeOf(written: unknown): string | null {
  if (typeof written !== 'string' || !/^\d{4}-\d{2}-\d{2}T[\d:.]{5,30}(?:Z|[+-]\d{2}:\d{2})$/.test(written)) return null
  const time = new Date(written)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** Longer than any id or name: agents write them, and an answer repeats them. */
const maxName = 255

function stringOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxName).toWellFormed() : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
