/** A string of a JSON text, by the position of its content between the quotes. */
export type JsonString = { start: number; end: number; isKey: boolean; hasEscapes: boolean }

/**
 * The strings of one or several JSON texts, or undefined if other text is between them. The grammar is not checked
 * further: it only matters that there is no text outside the strings.
 *
 * Reads each character once, by `charCodeAt` alone. V8 moves a call of `indexOf` into the loop around it, because it
 * has no side effects, and repeats it for every character.
 */
export function findJsonStrings(text: string): JsonString[] | undefined {
  const strings: JsonString[] = []
  let at = 0
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
    let hasEscapes = false
    let end = start
    for (; end < text.length && text.charCodeAt(end) !== quotationMark; end++) {
      if (text.charCodeAt(end) !== backslash) continue
      hasEscapes = true
      end++
    }
    if (end >= text.length) return undefined
    at = end + 1
    while (isBlank(text.charCodeAt(at))) at++
    strings.push({ start, end, isKey: text.charCodeAt(at) === colon, hasEscapes })
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
const backslash = 0x5c
const colon = 0x3a
const literal = /true|false|null|-?\d[\d.eE+-]{0,400}/y

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function isPunctuation(code: number): boolean {
  return (
    code === colon || code === 0x2c || code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d || isBlank(code)
  )
}
