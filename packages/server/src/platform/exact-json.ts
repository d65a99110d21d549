/**
 * JSON whose large integers stay as they were written. JavaScript rounds an integer beyond 2^53; callers keep ids of other
 * systems in their own objects and must get them back.
 */
export class ExactInteger {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }

  /** `writeJson` turns the marked text into the bare number. */
  toJSON(): string {
    return `${mark}${this.digits}`
  }

  toString(): string {
    return this.digits
  }
}

/** No JSON of ours has a NUL in a text: request bodies with one are refused, and PostgreSQL stores none. */
const mark = '\0'
const marked = /^\0-?\d+$/
const written = /"\\u0000(-?\d+)"/g

export function parseJson(text: string): unknown {
  return mayHaveLargeIntegers(text) ? JSON.parse(withMarks(text), revive) : JSON.parse(text)
}

export function writeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent)
  return text.includes('"\\u0000') ? text.replace(written, '$1') : text
}

/** 2^53 has sixteen digits. */
export function mayHaveLargeIntegers(text: string): boolean {
  return /\d{16}/.test(text)
}

const stringOrNumber = /"|-?\d[\d.eE+-]*/g

function withMarks(text: string): string {
  const parts: string[] = []
  let end = 0
  stringOrNumber.lastIndex = 0
  for (let match = stringOrNumber.exec(text); match; match = stringOrNumber.exec(text)) {
    const [token] = match
    if (token === '"') stringOrNumber.lastIndex = endOfString(text, stringOrNumber.lastIndex)
    else if (/^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))) {
      parts.push(text.slice(end, match.index), `"\\u0000${token}"`)
      end = stringOrNumber.lastIndex
    }
  }
  return parts.join('') + text.slice(end)
}

const closingQuote = /["\\]/g

/** The position after the quote that closes the string which begins before `from`. */
export function endOfString(text: string, from: number): number {
  closingQuote.lastIndex = from
  for (let match = closingQuote.exec(text); match; match = closingQuote.exec(text)) {
    if (match[0] === '"') return closingQuote.lastIndex
    closingQuote.lastIndex += 1
  }
  return text.length
}

function revive(_key: string, value: unknown): unknown {
  return typeof value === 'string' && marked.test(value) ? new ExactInteger(value.slice(mark.length)) : value
}
