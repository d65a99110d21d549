import { blocksOf, parseEntry, partsOf } from './entry-parts.ts'

/** What the agent says in a line, whichever runtime wrote it; blank when it says nothing there. */
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
