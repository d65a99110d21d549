import { blocksOf, parseEntry, partsOf } from './entry-parts.ts'

/** The agent's text in a line of any runtime; empty if the line has none. */
export function assistantText(line: string): string {
  if (!line.includes('"assistant"')) return ''
  const entry = parseEntry(line)
  if (!entry) return ''
  const { message, role } = partsOf(entry)
  if (role !== 'assistant') return ''
  return blocksOf(message)
    .flatMap(({ type, text }) => ((type === 'text' || type === 'output_text') && typeof text === 'string' ? text : []))
    .join('\n')
    .trim()
}
