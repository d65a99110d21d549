import { markerStart } from './placeholder.ts'

export type KnownSecret = { label: string; value: string }

/** One spelling of one known value. */
export type Needle = {
  text: string
  label: string
  /** Found only with no letter, digit, `_` or `-` beside it: short values are parts of ordinary words. */
  isWholeToken: boolean
  isBase64: boolean
}

/** Below this a value is as likely a part of a word. */
const wholeTokenBelow = 8
/** A marker has to be recognised again. */
const longestLabel = 100
/** `1`, `on`, `dev`: replacing them would tell nothing and ruin everything. */
const shortestKnown = 4

/** Every known value in every spelling in which it may be met, the longest value first. */
export function needlesOf(known: Iterable<KnownSecret>): Needle[] {
  const values = [...known]
    .map(({ label, value }) => ({
      label: label.replace(/[^\w:.-]/g, '_').slice(0, longestLabel) || 'SECRET',
      value: value.trim(),
    }))
    .filter(({ value }) => value.length >= shortestKnown && !markerStart.includes(value))
    .sort((one, other) => other.value.length - one.value.length)
  const needles = new Map<string, Needle>()
  for (const { label, value } of values) {
    const isWholeToken = value.length < wholeTokenBelow
    const add = (text: string, isBase64: boolean): void => {
      if (text.length < shortestKnown || needles.has(text)) return
      needles.set(text, { text, label, isWholeToken, isBase64 })
    }
    for (const text of partsOf(value)) {
      for (const spelling of [text, ...escaped(text), ...encoded(text)]) add(spelling, false)
      for (const spelling of inBase64(text)) add(spelling, true)
    }
  }
  return [...needles.values()]
}

/** The whole of it, with either line break, and what of its lines is secret by itself. */
function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n/)
  return lines.length === 1 ? [value] : [lines.join('\n'), lines.join('\r\n'), ...lines.filter(isKeyLine)]
}

/** A line of a key block is a secret by itself, since line numbers or diff signs may stand between two of them. */
function isKeyLine(line: string): boolean {
  return line.length >= 40 && !/\s/.test(line)
}

/** As it stands inside other languages' quotes. */
function escaped(value: string): string[] {
  const onceInJson = inJson(value)
  const slashed = onceInJson.replaceAll('/', '\\/')
  const ascii = onceInJson.replace(/[^\x20-\x7e]/g, codeUnit)
  return [
    onceInJson,
    inJson(onceInJson),
    inJson(inJson(onceInJson)),
    slashed,
    inJson(slashed),
    ascii,
    inJson(ascii),
    value.replaceAll("'", `'\\''`),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll("'", "\\'"),
    value.replace(/["$`\\]/g, '\\$&'),
    value.replace(/[^\w@%+=:,./\n-]/g, '\\$&'),
    inXml(value).replaceAll("'", '&apos;'),
    inXml(value).replaceAll("'", '&#39;'),
    inXml(value).replaceAll("'", '&#x27;'),
    inXml(value).replaceAll('&quot;', '"'),
    value.replaceAll('&', '&amp;'),
  ]
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function codeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function inXml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** As other letters. */
function encoded(value: string): string[] {
  const hex = Buffer.from(value, 'utf8').toString('hex')
  const uri = inUri(value)
  const everything = hex.replace(/../g, '%$&')
  return [
    uri,
    uri.replaceAll('%20', '+'),
    inUri(uri),
    uri.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
    everything,
    everything.toUpperCase(),
    ...[uri, inUri(uri)].map((text) => text.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase())),
    hex,
    hex.toUpperCase(),
  ]
}

/** A lone surrogate has no octets. */
function inUri(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/**
 * Base64 puts three bytes into four letters, so a value inside a longer text appears in one of three shapes. What its
 * neighbours would change is left off at both ends.
 */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  if (bytes.length < wholeTokenBelow) return [bytes.toString('base64')]
  const shapes = [0, 1, 2].map((shift) => {
    const letters = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const whole = Math.floor(((bytes.length + shift) * 8) / 6)
    return letters.slice(Math.ceil((shift * 8) / 6), whole)
  })
  return shapes.flatMap((shape) => [shape, shape.replaceAll('+', '-').replaceAll('/', '_')])
}
