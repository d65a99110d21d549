import { markerStart } from './placeholder.ts'

export type KnownSecret = { label: string; value: string }

/** One spelling of one known value. */
export type Needle = {
  text: string
  label: string
  /** Matches only without a letter, digit, `_` or `-` beside it: short values occur inside ordinary words. */
  isWholeToken: boolean
  isBase64: boolean
}

/** Shorter values are likely to be part of a word. */
const wholeTokenBelow = 8
/** Later passes must recognise the marker. */
const longestLabel = 100
/** `1`, `on`, `dev`: replacing them would protect nothing and destroy the text. */
const shortestKnown = 4

/** Every known value in every expected spelling, the longest value first. */
export function needlesOf(known: Iterable<KnownSecret>): Needle[] {
  const values = [...known]
    .flatMap((secret) => [secret, ...passwordsIn(secret)])
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

/** The password of an address is a secret by itself, encoded as it is there and decoded. */
function passwordsIn({ label, value }: KnownSecret): KnownSecret[] {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@:]*:([^/?#]+)@/i.exec(value.trim()) ?? []
  return password === undefined ? [] : [password, decodedUri(password)].map((each) => ({ label, value: each }))
}

function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The whole value with either line break, and the lines that are secret on their own. */
function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n/)
  return lines.length === 1 ? [value] : [lines.join('\n'), lines.join('\r\n'), ...lines.filter(isKeyLine)]
}

/** A line of a key block is a secret on its own: line numbers or diff signs may separate the lines. */
function isKeyLine(line: string): boolean {
  return line.length >= 40 && !/\s/.test(line)
}

/** Escaped as inside the quotes of other languages. */
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

/** Encoded in other alphabets. */
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

/** A lone surrogate has no UTF-8 encoding. */
function inUri(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/**
 * Base64 encodes three bytes as four characters, so a value inside a longer text has one of three forms. The characters
 * at both ends that depend on its neighbours are left out.
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
