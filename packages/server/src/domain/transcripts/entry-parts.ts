import { parseJson } from '../../platform/parse-json.ts'

/** A parsed entry. Entries of all runtimes have a role and a list of content blocks, under different names. */
export type Fields = Record<string, unknown>

/** Undefined for a line that is not a JSON object. */
export function parseEntry(line: string): Fields | undefined {
  const value = parseJson(line)
  return isFields(value) ? value : undefined
}

export function partsOf(entry: Fields): { message: Fields; role: unknown } {
  const message = [entry.message, entry.payload].find(isFields) ?? entry
  return { message, role: message.role ?? entry.type }
}

export function blocksOf({ content }: Fields): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isFields) : []
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
