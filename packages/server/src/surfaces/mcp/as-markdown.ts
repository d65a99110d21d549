export type Detail = {
  /** Longer texts are cut after this many characters: a field of the thing itself, and what lies deeper. */
  near: number
  deep: number
  /** What to ask for to get the whole, said where something was cut. */
  advice: string
}

/**
 * An answer of the API as an agent reads it best: names and values, without what is not there, long texts cut. Further lines
 * of a text are quoted.
 */
export function asMarkdown(value: unknown, detail: Detail): string {
  return linesOf(value, detail, 0).join('\n')
}

/** A text that stands for itself, so that no line of it can pass for one of ours. */
export function quoted(text: string): string {
  return text
    .split(lineEnd)
    .map((line) => `> ${line}`)
    .join('\n')
}

const lineEnd = /\r\n|[\n\r\u2028\u2029]/

/** How deep a text lies that is a field of the thing itself: `session` and below it `prompt`. */
const nearDepth = 2

function linesOf(value: unknown, detail: Detail, depth: number): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listed(linesOf(item, detail, depth + 1)))
  if (!isRecord(value)) return quotedFurther(wordsOf(value, detail, depth))
  return Object.entries(value).flatMap(([name, field]) => {
    if (isAbsent(field)) return []
    if (isFlat(field)) {
      const words = Array.isArray(field)
        ? field.map((item) => wordsOf(item, detail, depth + 1))
        : [wordsOf(field, detail, depth + 1)]
      return setIn('- ', quotedFurther(`${name}: ${words.join(', ') || 'none'}`))
    }
    return [`- ${name}:`, ...setIn('  ', linesOf(field, detail, depth + 1))]
  })
}

/** Of several things each begins with a star. */
function listed([first = '', ...rest]: readonly string[]): string[] {
  return setIn('* ', [first.replace(/^- /, ''), ...rest])
}

/** The first line behind its mark, the others as far in. */
function setIn(mark: string, [first = '', ...rest]: readonly string[]): string[] {
  return [`${mark}${first}`, ...rest.map((line) => `  ${line}`)]
}

function quotedFurther(text: string): string[] {
  const [first = '', ...rest] = text.split(lineEnd)
  return [first, ...rest.map((line) => `> ${line}`)]
}

function wordsOf(value: unknown, { near, deep, advice }: Detail, depth: number): string {
  if (typeof value !== 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value)
  const limit = depth <= nearDepth ? near : deep
  if (value.length <= limit) return value
  return `${value.slice(0, limit).toWellFormed()} … [cut: ${value.length} characters in all; ${advice}]`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What fits behind its name: one value, or a list of such. */
function isFlat(value: unknown): boolean {
  return Array.isArray(value) ? value.every((item) => !isRecord(item) && !Array.isArray(item)) : !isRecord(value)
}

/** An empty list says something; nothing, and an object without a field, do not. */
function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (isRecord(value) && Object.keys(value).length === 0)
}
