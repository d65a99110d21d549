/** A string of a JSON text, by the position of its content between the quotes. */
export type JsonString = { start: number; end: number; isKey: boolean; hasEscapes: boolean }

/**
 * The strings of one or several JSON texts, or undefined if other text is between them. The grammar is not checked
 * further: it only matters that there is no text outside the strings.
 */
export function findJsonStrings(text: string): JsonString[] | undefined {
  const strings: JsonString[] = []
  let at = 0
  let backslash = text.indexOf('\\')
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (isPunctuation(code)) {
      at++
      continue
    }
    if (code !== quotationMark) {
      literal.lastIndex = at
      if (!literal.test(text)) return undefined
      at = literal.lastIndex
      continue
    }
    const start = at + 1
    if (backslash !== -1 && backslash < start) backslash = text.indexOf('\\', start)
    const end = closingQuote(text, start)
    if (end === -1) return undefined
    at = end + 1
    while (isBlank(text.charCodeAt(at))) at++
    strings.push({ start, end, isKey: text.charCodeAt(at) === colon, hasEscapes: backslash !== -1 && backslash < end })
  }
  return strings
}

/** Quick check whether parsing is worth trying. */
export function mayBeJson(text: string): boolean {
  let at = 0
  while (isBlank(text.charCodeAt(at))) at++
  const first = text[at]
  return first === '{' || first === '[' || first === '"'
}

/** The decoded string, or undefined if its escapes are not valid JSON. */
export function decodeJsonString(raw: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${raw}"`)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

const quotationMark = 0x22
const backslashCode = 0x5c
const colon = 0x3a
const literal = /true|false|null|-?\d[\d.eE+-]{0,400}/y

function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (before >= start && text.charCodeAt(before) === backslashCode) before--
    if ((at - before) % 2 === 1) return at
  }
  return -1
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function isPunctuation(code: number): boolean {
  return (
    code === colon || code === 0x2c || code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d || isBlank(code)
  )
}
