import { limits } from '@yardmaster/contract/limits'
import { parseJson } from '../../platform/parse-json.ts'
import { truncate } from '../../platform/truncate.ts'
import type { ParallelCalls } from './parallel-calls.ts'

/** Renders a stored line for people, as a header and a body. Empty for a line that is not JSON. */
export function renderLine(line: string, calls?: ParallelCalls): string {
  return renderReadable(parseJson(line), calls)
}

/** Renders the entry that a runtime made of a line. Empty for undefined: the runtime hides that line. */
export function renderReadable(entry: unknown, calls?: ParallelCalls): string {
  return entry === undefined ? '' : renderEntry(entry, calls)
}

type Fields = Record<string, unknown>

function renderEntry(entry: unknown, calls?: ParallelCalls): string {
  if (!isFields(entry)) return `--- Unknown ---\n${asString(entry)}\n`
  calls?.see(entry)
  const message = isFields(entry.message) ? entry.message : entry
  const { header, body } = headerAndBody(entry, message, calls)
  return `--- ${header} ---\n${body}\n`
}

function headerAndBody(
  entry: Fields,
  message: Fields,
  calls: ParallelCalls | undefined,
): { header: string; body: string } {
  const content = renderContent(message.content, calls)
  switch (entry.type) {
    case 'user': {
      const isNotice = entry.isMeta === true || entry.interruptedByShutdown === true
      return { header: isNotice ? 'Runtime Notice (agent runtime, not a person)' : 'User', body: content }
    }
    case 'assistant':
      return { header: 'Assistant', body: content }
    case 'tool_use':
      return {
        header: `Tool Use: ${asString(message.name ?? 'unknown')}`,
        body: renderContent(message.input ?? message.content),
      }
    case 'tool_result':
      return { header: 'Tool Result', body: truncate(content, limits.toolResultText) }
    default:
      return {
        header: unknownHeader(entry.type, message.role),
        body: truncate(dump(entry, message, content), limits.unknownEntryText),
      }
  }
}

function unknownHeader(type: unknown, role: unknown): string {
  const label = typeof type === 'string' && type !== '' ? titleCase(type) : 'Entry'
  return typeof role === 'string' && role !== '' ? `${label} (${role})` : label
}

function dump(entry: Fields, message: Fields, content: string): string {
  return message.content === undefined || message.content === null ? JSON.stringify(entry) : content
}

/** The content of a message or of a tool result as text. */
export function renderContent(content: unknown, calls?: ParallelCalls): string {
  if (content === undefined || content === null) return ''
  if (Array.isArray(content))
    return content
      .map((block) => renderBlock(block, calls))
      .filter((text) => text.trim() !== '')
      .join('\n')
  return isFields(content) ? renderBlock(content, calls) : asString(content)
}

function renderBlock(block: unknown, calls?: ParallelCalls): string {
  if (!isFields(block)) return asString(block)
  switch (block.type) {
    case 'text':
      return asString(block.text ?? '')
    case 'thinking':
      return `[thinking] ${asString(block.thinking ?? block.text ?? '')}`
    case 'image':
      return '[image]'
    case 'tool_use':
      return `[tool_use: ${asString(block.name ?? 'unknown')}] ${JSON.stringify(block.input ?? {})}`
    case 'tool_result': {
      const call = calls?.callOf(block)
      const of = call === undefined ? '' : `(of ${call}) `
      return `[tool_result] ${of}${truncate(renderContent(block.content), limits.toolResultText)}`
    }
    default:
      return JSON.stringify(block, null, 2)
  }
}

/** `file-history-snapshot` becomes `File History Snapshot`. */
function titleCase(type: string): string {
  return type
    .split(/[_\s-]+/)
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(' ')
}

function asString(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
