/** A stretch of base64 letters, with what it says when that is text. Wrapped base64 is one run. */
export type Base64Run = { start: number; end: number; said?: string }

/** Shorter ones hold no assignment worth looking for; most are words and paths. */
const shortestRun = 32
/** From here on a run is somebody's binary: an image, a signature, encrypted reasoning. Nothing in it is a word. */
export const shortestBlob = 200

/**
 * The long stretches of base64 in a text. The search looks a run's length ahead and back from there, so ordinary text,
 * where blanks are near each other, is skipped in strides.
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
    runs.push({ start, end, ...sayingOf(text.slice(start, end)) })
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

/** A line of base64 holds nothing else: otherwise it is the next sentence. */
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
 * Only text is worth decoding, and its beginning tells: a byte below 128 never begins with a letter after `f`. Now and
 * then text has other bytes too.
 */
function sayingOf(run: string): { said?: string } {
  let others = 0
  for (let at = 0; at < shortestRun; at += 4) if (!/[A-Za-f]/.test(run[at] ?? '')) others++
  if (others > 2 || !isText.test(Buffer.from(run.slice(0, 128), 'base64').toString('utf8').slice(0, -2))) return {}
  return { said: Buffer.from(run.replace(/\s+/g, ''), 'base64').toString('utf8') }
}

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
