import type { Span } from './spans.ts'

export const privateKeyWords = ['-----begin', 'private-lines:']

/** At most 200 lines; the largest keys in use take about 12 KB. */
const maxLines = 200
const maxLength = 16_384

/**
 * The private key that starts at `start`, as one span per line so that the number of lines stays the same. Handles real
 * line breaks, written-out `\n`, line numbers, diff signs or quotation marks before each line, and a truncated end. The
 * first line alone, in prose or code, is no key: there must be a body.
 */
export function findPrivateKey(text: string, start: number): Span[] {
  beginLine.lastIndex = start
  const begin = beginLine.exec(text)
  if (begin === null) return []
  const bodyStart = start + begin[0].length
  const room = text.slice(bodyStart, bodyStart + maxLength)
  const end = findEnd(room)
  const prefix = prefixOf(text, start)
  const body = end === undefined ? unendedBody(room, prefix) : room.slice(0, end.start)
  if (!/[A-Za-z0-9+/]{16}/.test(body)) return []
  return linesOf(text, start, bodyStart + (end?.end ?? body.length), prefix)
}

const beginLine = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d{1,3}/y
const endLine = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]{1,64}/y

/** A plain search first: a text of nothing but first lines must not cost quadratic time. */
function findEnd(room: string): { start: number; end: number } | undefined {
  const starts = [room.indexOf('-----END '), room.indexOf('Private-MAC:')].filter((at) => at !== -1)
  endLine.lastIndex = Math.min(...starts)
  const end = starts.length === 0 ? null : endLine.exec(room)
  return end === null ? undefined : { start: end.index, end: end.index + end[0].length }
}

/** Prefixes of a line: numbers, quotation and comment marks, the border of a box. */
const linePrefix = /^(?:[\s>|│┃:#*"']|\/\/|\d{1,6}(?=[\s→:|│])|→)*/

function lengthOfPrefix(line: string): number {
  return linePrefix.exec(line)?.[0].length ?? 0
}

/** Base64 may start with the sign of a diff, so it counts as a prefix only if the first line has it. */
function lengthOfDiffPrefix(line: string): number {
  const sign = lengthOfPrefix(line)
  return line[sign] === '+' || line[sign] === '-' ? sign + 1 + lengthOfPrefix(line.slice(sign + 1)) : sign
}

function prefixOf(text: string, start: number): (line: string) => number {
  const before = text.slice(Math.max(0, start - 40), start)
  const lineStart = before.slice(before.lastIndexOf('\n') + 1)
  return /^[+-]/.test(lineStart.slice(lengthOfPrefix(lineStart))) ? lengthOfDiffPrefix : lengthOfPrefix
}

/** Up to the first line that cannot be part of a key. */
function unendedBody(room: string, lengthOfPrefixIn: (line: string) => number): string {
  let at = 0
  for (let line = 0; line < maxLines && at < room.length; line++) {
    const breakAt = room.indexOf('\n', at)
    const lineEnd = breakAt === -1 ? room.length : breakAt
    const content = room.slice(at, lineEnd)
    if (!isKeyText.test(content.slice(lengthOfPrefixIn(content)).trimEnd())) return room.slice(0, Math.max(0, at - 1))
    at = lineEnd + 1
  }
  return room.slice(0, at)
}

/** Base64, with or without written-out line breaks, or a header line of the block. */
const isKeyText = /^(?:(?:[A-Za-z0-9+/=]|\\{1,8}[nr])*["']?,?|(?:Proc-Type|DEK-Info|Version|Comment|Hash): .{0,100})$/

function linesOf(text: string, start: number, end: number, lengthOfPrefixIn: (line: string) => number): Span[] {
  const spans: Span[] = []
  let at = start
  while (at < end) {
    const breakAt = text.indexOf('\n', at)
    const lineEnd = breakAt === -1 || breakAt > end ? end : breakAt
    const line = text.slice(at, lineEnd)
    const prefix = at === start ? 0 : lengthOfPrefixIn(line)
    const content = line.slice(prefix).trimEnd()
    if (content !== '')
      spans.push({ start: at + prefix, end: at + prefix + content.length, label: 'PRIVATE_KEY', rank: 0 })
    at = lineEnd + 1
  }
  return spans
}
