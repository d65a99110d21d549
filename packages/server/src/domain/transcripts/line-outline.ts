import { setImmediate as nextTurn } from 'node:timers/promises'

/** A shorter line is parsed as it is. */
const longLine = 64 * 1024
/** Longer than any id, model or field that the service reads from a line. */
const longestString = 1024
/** The outline of a line that is long for another reason, such as a million numbers, is not readable. */
const longestOutline = 256 * 1024
/** No entry that the service reads is deeper. Parsing nested brackets costs far more time than other text. */
const deepest = 64
/** The event loop gets its turn after this many characters, which take about a millisecond. */
const sliceLength = 256 * 1024

/**
 * The line with every long string cut short, so that reading its fields takes no longer than for a short line: `usage`, ids
 * and kinds are all there. Undefined if that leaves too much to parse at once. Reads the line in slices, because a line may
 * have megabytes and other requests wait for the event loop.
 */
export async function outlineOf(line: string): Promise<string | undefined> {
  if (line.length <= longLine) return line
  const kept: string[] = []
  let keptLength = 0
  let from = 0
  let depth = 0
  let sliceEnd = sliceLength
  const keep = (to: number): void => {
    kept.push(line.slice(from, to))
    keptLength += to - from
  }
  let stringStart: number | undefined
  let cutAt: number | undefined
  for (let at = 0; at < line.length; at++) {
    if (at >= sliceEnd) {
      sliceEnd += sliceLength
      await nextTurn()
    }
    const code = line.charCodeAt(at)
    if (stringStart === undefined) {
      if (code === quotationMark) stringStart = at
      else if (code === openBrace || code === openBracket) depth++
      else if (code === closeBrace || code === closeBracket) depth--
      if (depth > deepest || keptLength + at - from > longestOutline) return undefined
      continue
    }
    // Before an escape, never inside one.
    if (cutAt === undefined && at - stringStart > longestString) cutAt = at
    if (code === backslash) at += line.charCodeAt(at + 1) === letterU ? 5 : 1
    if (code !== quotationMark) continue
    if (cutAt !== undefined) {
      keep(cutAt)
      from = at
    }
    stringStart = undefined
    cutAt = undefined
  }
  keep(line.length)
  return keptLength > longestOutline ? undefined : kept.join('')
}

const quotationMark = 0x22
const backslash = 0x5c
const letterU = 0x75
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
