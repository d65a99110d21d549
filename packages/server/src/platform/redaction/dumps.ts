import type { Span } from './spans.ts'

/** A part of a text that shows the bytes of another text, with the places where each of its characters is shown. */
export type Dump = { text: string; placesOf(at: number): readonly Place[] }
type Place = { start: number; end: number }

/**
 * The output of `xxd`, `hexdump` and `od` in their usual options. Each line shows some bytes as numbers or characters,
 * often with the same bytes as text beside them. Adjacent lines are one dump, because a secret continues on the next.
 */
export function findDumps(text: string): Dump[] {
  const dumps: Dump[] = []
  let bytes: Byte[] = []
  const close = (): void => {
    if (bytes.length >= shortestSecret) dumps.push(dumpOf(bytes))
    bytes = []
  }
  for (let start = 0; start <= text.length; ) {
    const breakAt = text.indexOf('\n', start)
    const end = breakAt === -1 ? text.length : breakAt
    const shown = mayBeDump(text, start, end) ? readLine(text.slice(start, end).trimEnd(), start) : undefined
    if (shown === undefined) close()
    else for (const byte of shown) bytes.push(byte)
    start = end + 1
  }
  close()
  return dumps
}

/** Spans in the dumped text, as spans of the dump: one for each line and column that shows a part of it. */
export function spansInDump(spans: readonly Span[], { placesOf }: Dump): Span[] {
  return spans.flatMap((span) => {
    const columns = new Map<number, Span[]>()
    for (let at = span.start; at < span.end; at++) {
      placesOf(at).forEach(({ start, end }, column) => {
        const parts = columns.get(column) ?? []
        columns.set(column, parts)
        const last = parts.at(-1)
        if (last !== undefined && start - last.end <= widestGap && start >= last.start)
          last.end = Math.max(last.end, end)
        else parts.push({ ...span, start, end })
      })
    }
    return [...columns.values()].flat()
  })
}

type Byte = { code: number; places: Place[] }

const shortestSecret = 8
/** The widest layout is `od -c` of 32 bytes a line. */
const longestLine = 256
/** Blanks between two numbers of a line. A line break, an offset or the other column is wider. */
const widestGap = 4

/** Quick check, which nearly all lines fail: two digits come first. */
function mayBeDump(text: string, start: number, end: number): boolean {
  if (end - start < shortestLine || end - start > longestLine) return false
  let at = start
  while (text.charCodeAt(at) === 0x20) at++
  return isDigit(text.charCodeAt(at)) && (isDigit(text.charCodeAt(at + 1)) || text[at + 1] === 'x')
}

const shortestLine = 8

function isDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46)
}

/** Starts with an offset, or with three bytes. Hardly any other line does. */
const dumpLine =
  /^[ \t]{0,8}(?:[0-9a-fA-F]{6,16}:?[ \t]{1,8}\S|(?:0x)?[0-9a-fA-F]{2},? (?:0x)?[0-9a-fA-F]{2},? (?:0x)?[0-9a-fA-F]{2}(?:,|[ \t]|$))/

function dumpOf(bytes: readonly Byte[]): Dump {
  return {
    text: textOf(bytes),
    placesOf: (at) => bytes[at]?.places ?? [],
  }
}

/** One character for each byte, so that positions agree. */
function textOf(bytes: readonly Byte[]): string {
  let text = ''
  for (const { code } of bytes) text += String.fromCharCode(code)
  return text
}

/** The layouts of numbers, and how many digits and bytes each number has. The first that fits a line is its layout. */
const layouts: readonly { number: RegExp; base: 2 | 8 | 16; bytes: number }[] = [
  { number: /[0-9a-fA-F]{2}/y, base: 16, bytes: 1 },
  { number: /0x[0-9a-fA-F]{2},?/y, base: 16, bytes: 1 },
  { number: /[0-7]{3}(?![0-9a-fA-F])/y, base: 8, bytes: 1 },
  { number: /[01]{8}(?![0-9a-fA-F])/y, base: 2, bytes: 1 },
  { number: /[0-9a-fA-F]{4}/y, base: 16, bytes: 2 },
  { number: /[0-7]{6}(?![0-9a-fA-F])/y, base: 8, bytes: 2 },
  { number: /[0-9a-fA-F]{8}/y, base: 16, bytes: 4 },
]

function readLine(line: string, offset: number): Byte[] | undefined {
  if (!dumpLine.test(line)) return undefined
  const [, indent = '', position = '', gap = ''] = lineStart.exec(line) ?? []
  const body = indent.length + position.length + gap.length
  // `xxd` shows the bytes of a group in their order; `od` and `hexdump` show numbers, on usual machines the last byte first.
  const isInOrder = position.endsWith(':')
  for (const start of new Set([body, indent.length])) {
    for (const layout of layouts) {
      const bytes = readNumbers(line, start, { ...layout, isInOrder, offset })
      if (bytes !== undefined) return bytes
    }
  }
  return position === '' ? undefined : readCharacters(line, indent.length + position.length, offset)
}

const lineStart = /^([ \t]{0,8})(?:([0-9a-fA-F]{6,16}:?)([ \t]{1,8}))?/

type Reading = { number: RegExp; base: number; bytes: number; isInOrder: boolean; offset: number }

function readNumbers(
  line: string,
  start: number,
  { number, base, bytes: width, isInOrder, offset }: Reading,
): Byte[] | undefined {
  const shown: Byte[] = []
  let at = start
  let count = 0
  for (;;) {
    number.lastIndex = at
    const match = number.exec(line)
    const following = match === null ? '' : (line[at + match[0].length] ?? ' ')
    if (match === null || !/[ \t]/.test(following)) break
    const place = { start: offset + at, end: offset + at + match[0].length }
    const codes = codesOf(Number.parseInt(match[0], base), width)
    for (const code of isInOrder ? codes : codes.reverse()) shown.push({ code, places: [place] })
    count++
    at += match[0].length
    const blanks = /^[ \t]*/.exec(line.slice(at))?.[0].length ?? 0
    at += blanks
    // The text beside the numbers starts after two blanks; it may begin with digits.
    if (blanks >= 2 && showsText(line.slice(at), shown)) break
  }
  if (count < 2) return undefined
  const rest = line.slice(at)
  if (rest === '') return shown
  if (!showsText(rest, shown)) return undefined
  addText(shown, rest, offset + at)
  return shown
}

function codesOf(value: number, width: number): number[] {
  return Array.from({ length: width }, (_, index) => Math.floor(value / 256 ** (width - 1 - index)) % 256)
}

/** Whether the rest of a line is the bytes as text: plain, `|...|` or `>...<`, with a sign for what cannot be shown. */
function showsText(rest: string, shown: readonly Byte[]): boolean {
  const shift = textBetween.test(rest) ? 1 : 0
  const length = rest.length - 2 * shift
  // Trailing blanks of the text may be missing.
  if (length > shown.length || length < shown.length - 3) return false
  return shown.every(({ code }, index) => {
    const isVisible = code > 0x20 && code < 0x7f && index < length
    return !isVisible || rest.charCodeAt(shift + index) === code
  })
}

const textBetween = /^(?:\|.*\||>.*<)$/

function addText(shown: readonly Byte[], rest: string, start: number): void {
  const shift = textBetween.test(rest) ? 1 : 0
  shown.forEach((byte, index) => {
    if (index >= rest.length - 2 * shift) return
    byte.places.push({ start: start + shift + index, end: start + shift + index + 1 })
  })
}

/** `od -c` and `hexdump -c`: a character or an escape in each column of four. */
function readCharacters(line: string, start: number, offset: number): Byte[] | undefined {
  const columns = line.slice(start)
  const shown: Byte[] = []
  for (let at = 0; at < columns.length; at += 4) {
    const cell = columns.slice(at, at + 4)
    const written = cell.trimStart()
    const code = written === '' ? 0x20 : codeOf(written)
    if (code === undefined || cell[0] !== ' ') return undefined
    const end = offset + start + at + cell.length
    shown.push({ code, places: [{ start: end - Math.max(1, written.length), end }] })
  }
  return shown.length >= 2 ? shown : undefined
}

function codeOf(written: string): number | undefined {
  if (written.length === 1) return written.charCodeAt(0)
  if (/^[0-7]{3}$/.test(written)) return Number.parseInt(written, 8)
  return escapes[written]
}

const escapes: Record<string, number> = {
  '\\0': 0,
  '\\a': 7,
  '\\b': 8,
  '\\t': 9,
  '\\n': 10,
  '\\v': 11,
  '\\f': 12,
  '\\r': 13,
  nul: 0,
  ht: 9,
  nl: 10,
  cr: 13,
  esc: 27,
  sp: 32,
}
