/** A run of base64 characters, with its decoded content if that is text. Wrapped base64 is one run. */
export type Base64Run = { start: number; end: number; decoded?: string }

/** Shorter runs hold no assignment; most are words and paths. */
const shortestRun = 32
/** A run of this length is binary data: an image, a signature, encrypted reasoning. It contains no words. */
export const shortestBlob = 200

/**
 * The long base64 runs in a text. The search jumps ahead by the length of the shortest run and looks back from there,
 * so it skips ordinary text, where blanks are close together.
 */
export function findBase64Runs(text: string): Base64Run[] {
  const runs: Base64Run[] = []
  let start = 0
  while (start + shortestRun <= text.length) {
    const breakAt = lastBreak(text, start, start + shortestRun)
    if (breakAt !== -1) {
      start = breakAt + 1
      continue
    }
    const end = endOfRun(text, start)
    runs.push({ start, end, ...decodedText(text.slice(start, end)) })
    start = end + 1
  }
  return runs
}

function lastBreak(text: string, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) if (!isLetter(text.charCodeAt(at))) return at
  return -1
}

function endOfRun(text: string, start: number): number {
  let at = start
  for (;;) {
    const lineStart = at
    while (at < text.length && isLetter(text.charCodeAt(at))) at++
    while (at < text.length && text[at] === '=') at++
    if (text[at - 1] === '=' || at - lineStart < 60) return at
    const next = /^\r?\n[ \t]{0,16}(?=[A-Za-z0-9+/]{4})/.exec(text.slice(at, at + 24))
    if (next === null || !isRestOfBase64(text, at + next[0].length)) return at
    at += next[0].length
  }
}

/** A continuation line consists only of base64; otherwise it is the next sentence. */
function isRestOfBase64(text: string, lineStart: number): boolean {
  let at = lineStart
  while (at < text.length && at - lineStart < 256 && isLetter(text.charCodeAt(at))) at++
  while (text[at] === '=') at++
  return (
    at === text.length ||
    text[at] === '\n' ||
    text[at] === '\r' ||
    text[at] === '"' ||
    text[at] === "'" ||
    text[at] === '\\'
  )
}

/**
 * Only text is worth decoding, and the first character decides: base64 of a byte below 128 never starts with a letter
 * after `f`. Text may occasionally contain other bytes.
 */
function decodedText(run: string): { decoded?: string } {
  const hex = decodedHex(run)
  if (hex !== undefined) return { decoded: hex }
  let others = 0
  for (let at = 0; at < shortestRun; at += 4) if (!/[A-Za-f]/.test(run[at] ?? '')) others++
  if (others > 2 || !isText.test(Buffer.from(run.slice(0, 128), 'base64').toString('utf8').slice(0, -2))) return {}
  return { decoded: Buffer.from(run.replace(/\s+/g, ''), 'base64').toString('utf8') }
}

/** The digits of `xxd -p`, which are base64 characters too. */
function decodedHex(run: string): string | undefined {
  if (!isHex.test(run)) return undefined
  const decoded = Buffer.from(run.replace(/\s+/g, ''), 'hex').toString('utf8')
  return isText.test(decoded.slice(0, 64)) ? decoded : undefined
}

const isHex = /^(?:[0-9a-fA-F]{2}|\s+){16,}$/

const isText = /^[\t\r\n\x20-\x7e\u00a0-\uffef]*$/

function isLetter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2f ||
    code === 0x2d ||
    code === 0x5f
  )
}
