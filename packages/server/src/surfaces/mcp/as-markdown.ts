export type Detail = {
  /** Longer texts are cut after this many characters: right below the top, and deeper down. */
  near: number
  deep: number
  /** What to ask for to get the whole, said where something was cut. */
  advice: string
}

/** An answer of the API as an agent reads it best: lists of names and values, without what is empty, long texts cut. */
export function asMarkdown(value: unknown, detail: Detail): string {
  return isEmpty(value) ? '' : lines(value, detail, 0).join('\n')
}

/** How deep a text lies that still counts as near the top: a field of the session itself. */
const nearDepth = 2

function lines(value: unknown, detail: Detail, depth: number): string[] {
  const indent = '  '.repeat(Math.max(0, depth - 1))
  if (Array.isArray(value)) return value.flatMap((item) => listed(item, detail, depth, indent))
  if (!isRecord(value)) return [`${indent}${inline(value, detail, depth)}`]
  return Object.entries(value).flatMap(([name, field]) => {
    if (isEmpty(field)) return []
    const inner = lines(field, detail, depth + 1)
    const isShort = !isRecord(field) && !hasRecords(field)
    return isShort
      ? [`${indent}- ${name}: ${inline(field, detail, depth + 1)}`]
      : [`${indent}- ${name}:`, ...inner.map((line) => `  ${line}`)]
  })
}

/** Each of several things begins at a number, so that where one ends is seen. */
function listed(item: unknown, detail: Detail, depth: number, indent: string): string[] {
  if (!isRecord(item)) return [`${indent}- ${inline(item, detail, depth)}`]
  const [first = '', ...rest] = lines(item, detail, depth + 1)
  return [`${indent}* ${first.trimStart().replace(/^- /, '')}`, ...rest]
}

function inline(value: unknown, detail: Detail, depth: number): string {
  if (Array.isArray(value)) return value.map((item) => inline(item, detail, depth)).join(', ')
  return typeof value === 'string'
    ? cut(value, depth <= nearDepth ? detail.near : detail.deep, detail.advice)
    : String(value)
}

function cut(text: string, limit: number, advice: string): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit).toWellFormed()} … [cut: ${text.length} characters in all; ${advice}]`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasRecords(value: unknown): boolean {
  return Array.isArray(value) && value.some(isRecord)
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  )
}
