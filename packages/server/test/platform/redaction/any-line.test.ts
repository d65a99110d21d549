import { expect, test } from 'vitest'
import { openRedaction } from '../../../src/platform/redaction/redaction.ts'
import { contextualKinds, prefixedKinds, structuralKinds } from './secret-kinds.ts'
import { type Seeded, seeded } from './seeded.ts'

const known = [
  { label: 'API_KEY', value: 'yard-key-8f3a1c' },
  { label: 'SUPERVISOR_PASSWORD', value: 'a "quoted" pass\\word' },
]

test('any line of JSON stays JSON: only the content of strings changes, and a second pass changes nothing', () => {
  const redactor = openRedaction({ known: () => known })
  const random = seeded(31)
  let changed = 0
  for (let turn = 0; turn < 1500; turn++) {
    const line = anyJson(random, 4)
    const redacted = redactor.redact(line)

    expect(() => JSON.parse(redacted)).not.toThrow()
    expect(withoutStrings(redacted)).toBe(withoutStrings(line))
    expect(redactor.redact(redacted)).toBe(redacted)
    if (redacted !== line) changed++
  }
  expect(changed).toBeGreaterThan(300)
})

test('any text keeps its number of lines, and a second pass changes nothing', () => {
  const redactor = openRedaction({ known: () => known })
  const random = seeded(32)
  for (let turn = 0; turn < 1500; turn++) {
    const text = Array.from({ length: 1 + random.below(6) }, () => anyText(random)).join(
      random.pick(['\n', ' ', '\r\n', '"', ': ', '=', '']),
    )
    const redacted = redactor.redact(text)

    expect(redacted.split('\n')).toHaveLength(text.split('\n').length)
    expect(redactor.redact(redacted)).toBe(redacted)
  }
})

test('random bytes never make the redactor throw', () => {
  const redactor = openRedaction({ known: () => known })
  const random = seeded(33)
  for (let turn = 0; turn < 2000; turn++) {
    const text = random.bytes(1 + random.below(400)).toString(random.pick(['latin1', 'utf8', 'utf16le', 'base64']))
    const redacted = redactor.redact(text)

    expect(redactor.redact(redacted)).toBe(redacted)
  }
})

/** Random JSON with varied blanks, numbers, escapes, duplicate keys and nested JSON. */
function anyJson(random: Seeded, depth: number): string {
  const blank = (): string => random.pick(['', '', '', ' ', '  ', '\t'])
  const shape = depth === 0 ? random.below(3) : random.below(6)
  if (shape === 0) return random.pick(['true', 'false', 'null', '0', '-1.50e+10', '12345678901234567890', '1.0'])
  if (shape <= 2) return anyString(random)
  const count = random.below(5)
  if (shape === 3) return JSON.stringify(anyJson(random, depth - 1))
  const items = Array.from({ length: count }, () => {
    const item = anyJson(random, depth - 1)
    return shape === 4 ? item : `${anyKey(random)}${blank()}:${blank()}${item}`
  })
  const [open, close] = shape === 4 ? ['[', ']'] : ['{', '}']
  return `${open}${blank()}${items.join(`${blank()},${blank()}`)}${blank()}${close}`
}

function anyKey(random: Seeded): string {
  return random.below(3) === 0
    ? anyString(random)
    : JSON.stringify(
        random.pick([
          'id',
          'text',
          'password',
          'apiKey',
          'name',
          'value',
          'signature',
          'Cookie',
          'a',
          'token',
          '__proto__',
        ]),
      )
}

/** A string with some letters written as escapes. */
function anyString(random: Seeded): string {
  const plain = JSON.stringify(anyText(random))
  if (random.below(4) !== 0) return plain
  return plain.replace(/\\(?:u[0-9a-f]{4}|.)|[a-z/]/g, (letter) => {
    if (letter.length > 1 || random.below(8) !== 0) return letter
    return letter === '/' ? '\\/' : `\\u00${letter.charCodeAt(0).toString(16)}`
  })
}

function anyText(random: Seeded): string {
  switch (random.below(9)) {
    case 0:
      return random.pick(prefixedKinds).make(random)
    case 1:
      return `${random.pick(contextualKinds).variable}=${random.pick(contextualKinds).make(random)}`
    case 2:
      return random.pick(structuralKinds).make(random).line
    case 3:
      return `${random.pick(known).value} and [REDACTED:${random.pick(['JWT', 'ENV_SECRET', 'ENV:X'])}]`
    case 4:
      return random.from(' \t\n\r\\/"\'{}[]:,=%&;<>\u001b[0m', random.below(40))
    case 5:
      return random.from('äß漢😀\ud800\u0000\u2028é', random.below(20))
    case 6:
      return Buffer.from(`A=1\n${random.pick(structuralKinds).make(random).line}`).toString('base64')
    case 7:
      return `key: ${random.word(30)} token "${random.hex(32)}" [REDACTED:`
    default:
      return random.pick(['ok', 'user', 'tool_result', 'The password is long.', 'see https://acme.test/a?b=c', ''])
  }
}

/** The text between the strings. */
function withoutStrings(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/gs, '""')
}
