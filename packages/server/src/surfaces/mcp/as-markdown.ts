import { ExactInteger } from '../../platform/exact-json.ts'

export type Detail = {
  /** Text limits in characters: for a field of the resource itself, and for fields nested deeper. */
  near: number
  deep: number
  /** Appended where a text is truncated: how to get all of it. */
  advice: string
}

/**
 * Renders an API answer as a Markdown list for an agent: absent fields are omitted and long texts truncated. Every line of a
 * text after the first is quoted.
 */
export function asMarkdown(value: unknown, detail: Detail): string {
  return linesOf(value, detail, 0).join('\n')
}

/** Quotes every line, so that a text from outside cannot imitate a line of the answer. */
export function quoted(text: string): string {
  return text
    .split(lineEnd)
    .map((line) => `> ${line}`)
    .join('\n')
}

const lineEnd = /\r\n|[\n\r\u2028\u2029]/

/** Depth of a field of the resource itself, such as `prompt` below `session`. */
const nearDepth = 2

function linesOf(value: unknown, detail: Detail, depth: number): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listed(linesOf(item, detail, depth + 1)))
  if (!isRecord(value)) return withQuotedLines(valueText(value, detail, depth))
  return Object.entries(value).flatMap(([name, field]) => {
    if (isAbsent(field)) return []
    if (isFlat(field)) {
      const values = Array.isArray(field)
        ? field.map((item) => valueText(item, detail, depth + 1))
        : [valueText(field, detail, depth + 1)]
      return indented('- ', withQuotedLines(`${name}: ${values.join(', ') || 'none'}`))
    }
    return [`- ${name}:`, ...indented('  ', linesOf(field, detail, depth + 1))]
  })
}

function listed([first = '', ...rest]: readonly string[]): string[] {
  return indented('* ', [first.replace(/^- /, ''), ...rest])
}

function indented(mark: string, [first = '', ...rest]: readonly string[]): string[] {
  return [`${mark}${first}`, ...rest.map((line) => `  ${line}`)]
}

function withQuotedLines(text: string): string[] {
  const [first = '', ...rest] = text.split(lineEnd)
  return [first, ...rest.map((line) => `> ${line}`)]
}

function valueText(value: unknown, { near, deep, advice }: Detail, depth: number): string {
  if (value instanceof ExactInteger) return value.toString()
  if (typeof value !== 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value)
  const limit = depth <= nearDepth ? near : deep
  if (value.length <= limit) return value
  return `${value.slice(0, limit).toWellFormed()} … [cut: ${value.length} characters in all; ${advice}]`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactInteger)
}

/** True for a value that fits on the line of its name: a scalar or a list of scalars. */
function isFlat(value: unknown): boolean {
  return Array.isArray(value) ? value.every((item) => !isRecord(item) && !Array.isArray(item)) : !isRecord(value)
}

/** An empty list is information; null, an empty text and an empty object are not. */
function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (isRecord(value) && Object.keys(value).length === 0)
}
