import { blocksOf, parseEntry, partsOf } from './entry-parts.ts'

/** The number of tool calls in a line of any runtime. */
export function toolUsesIn(line: string): number {
  if (!line.includes('tool_use') && !line.includes('_call')) return 0
  const entry = parseEntry(line)
  if (!entry) return 0
  const { message } = partsOf(entry)
  if (typeof message.type === 'string' && message.type.endsWith('_call')) return 1
  if (entry.type === 'tool_use') return 1
  return blocksOf(message).filter(({ type }) => type === 'tool_use').length
}
