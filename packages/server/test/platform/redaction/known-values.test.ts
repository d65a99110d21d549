import { describe, expect, test } from 'vitest'
import { exampleText } from '../../../src/platform/redaction/example-text.ts'
import type { KnownSecret } from '../../../src/platform/redaction/known-values.ts'
import { openRedaction } from '../../../src/platform/redaction/redaction.ts'
import { bareContainers, lineContainers, namedContainers, transcriptLine } from './containers.ts'
import { password } from './secret-kinds.ts'
import { seeded } from './seeded.ts'

const random = seeded(21)

/** The secrets that a host knows. */
const ours: readonly KnownSecret[] = [
  { label: 'API_KEY', value: random.alnum(32) },
  { label: 'API_KEY', value: 'plain-words-as-a-key' },
  { label: 'SUPERVISOR_PASSWORD', value: `p@ss "w'o\\rd" <&> ${random.digits(3)}%+/ü` },
  { label: 'SUPERVISOR_PASSWORD', value: 'correcthorse' },
  { label: 'ELICITATION_TOKEN', value: random.word(43) },
  { label: 'OAUTH_TOKEN', value: `${random.alnum(20)}.${random.base64(30)}==` },
  { label: 'ENV:TRACKER_TOKEN', value: random.uuid() },
  { label: 'ENV:MAIL_PASSWORD', value: password(random, 9) },
]

describe('our own secrets are found', () => {
  const redactor = openRedaction({ known: () => ours })

  test.each(ours.map(({ label, value }, index) => [index, label, value] as const))(
    'our own secrets are found: %i %s in every container',
    (_, label, value) => {
      const texts = [
        ...[...namedContainers, ...bareContainers].map((container) =>
          container.wrap({ name: 'SETTING', value }, random),
        ),
        ...lineContainers.map((container) => container.wrap(`the value is ${value} today`)),
      ]
      for (const text of texts) {
        const line = transcriptLine(text, random)
        const redacted = redactor.redact(line)
        const { toolUseResult } = JSON.parse(redacted)
        expect(toolUseResult.stdout).toContain(`[REDACTED:${label}]`)
        expect(redactor.redact(text)).toContain(`[REDACTED:${label}]`)
        expect(redactor.redact(redacted)).toBe(redacted)
      }
    },
  )

  test.each(ours.map(({ label, value }, index) => [index, label, value] as const))(
    'our own secrets are found: %i %s in every encoding',
    (_, label, value) => {
      for (const [encoding, text] of encodings(value)) {
        expect({ encoding, text: redactor.redact(`<${text}>`) }).toEqual({
          encoding,
          text: expect.stringContaining(`[REDACTED:${label}]`),
        })
        const line = JSON.stringify({ message: { content: text }, id: text, [`${text} `]: 1 })
        const redacted = JSON.parse(redactor.redact(line))
        expect(redacted.message.content).toContain(`[REDACTED:${label}]`)
        expect(redacted.id).toContain(`[REDACTED:${label}]`)
        expect(Object.keys(redacted)[2]).toContain(`[REDACTED:${label}]`)
      }
    },
  )

  test('our own secrets are found of several lines, each line on its own', () => {
    const body = Array.from({ length: 3 }, () => random.base64(64))
    const file = openRedaction({ known: () => [{ label: 'ENV:KEY_FILE', value: `${body.join('\n')}\n` }] })

    expect(file.redact(body.join('\n'))).toBe(Array(3).fill('[REDACTED:ENV:KEY_FILE]').join('\n'))
    expect(file.redact(`12\u2192${body[1]}`)).toBe('12\u2192[REDACTED:ENV:KEY_FILE]')
  })
})

test('a known value takes precedence over rules, and a longer value over its prefix', () => {
  const long = `gh${'p_'}${random.alnum(36)}`
  const redactor = openRedaction({
    known: () => [
      { label: 'ENV:SHORT', value: long.slice(0, 20) },
      { label: 'ENV:LONG', value: long },
    ],
  })

  expect(redactor.redact(`TOKEN=${long}`)).toBe('TOKEN=[REDACTED:ENV:LONG]')
  expect(redactor.redact(`TOKEN=${long.slice(0, 20)} `)).toBe('TOKEN=[REDACTED:ENV:SHORT] ')
})

test('a value shorter than eight characters is found only as a whole word', () => {
  const redactor = openRedaction({ known: () => [{ label: 'SUPERVISOR_PASSWORD', value: 'hunter' }] })

  expect(redactor.redact('hunter, "hunter" and pw=hunter')).toBe(
    '[REDACTED:SUPERVISOR_PASSWORD], "[REDACTED:SUPERVISOR_PASSWORD]" and pw=[REDACTED:SUPERVISOR_PASSWORD]',
  )
  expect(redactor.redact('hunters, bargain-hunter, hunter_gatherer')).toBe('hunters, bargain-hunter, hunter_gatherer')
})

test('blank and tiny values are never replaced', () => {
  const redactor = openRedaction({
    known: () => ['', '   ', '\n', '1', 'on'].map((value) => ({ label: 'ENV:NOTHING', value })),
  })

  expect(redactor.redact('turn 1 on,   please\n')).toBe('turn 1 on,   please\n')
})

test('a known value counts from when it is added until it is removed', () => {
  const known: KnownSecret[] = []
  const redactor = openRedaction({ known: () => known })
  const text = 'a value-that-comes-and-goes b'

  expect(redactor.redact(text)).toBe(text)
  known.push({ label: 'OAUTH_TOKEN', value: 'value-that-comes-and-goes' })
  expect(redactor.redact(text)).toBe('a [REDACTED:OAUTH_TOKEN] b')
  known[0] = { label: 'OAUTH_TOKEN', value: 'another-value-altogether' }
  expect(redactor.redact(text)).toBe(text)
})

test('known values may come from a generator', () => {
  const redactor = openRedaction({
    *known() {
      yield { label: 'API_KEY', value: 'first-known-value' }
      yield { label: 'API_KEY', value: 'second-known-value' }
    },
  })

  for (const text of ['first-known-value', 'second-known-value'])
    expect(redactor.redact(text)).toBe('[REDACTED:API_KEY]')
})

test('a label is written so that later passes recognise the marker', () => {
  const redactor = openRedaction({ known: () => [{ label: 'ENV:MY TOKEN]', value: 'some-known-value-9' }] })

  expect(redactor.redact('some-known-value-9')).toBe('[REDACTED:ENV:MY_TOKEN_]')
})

function encodings(value: string): [name: string, text: string][] {
  const json = (text: string): string => JSON.stringify(text).slice(1, -1)
  const base64 = (before: string): string => Buffer.from(`${before}${value} after`).toString('base64')
  return [
    ['raw', value],
    ['JSON', json(value)],
    ['JSON twice', json(json(value))],
    ['JSON thrice', json(json(json(value)))],
    ['URI', encodeURIComponent(value)],
    ['URI in small letters', encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase())],
    ['form', encodeURIComponent(value).replaceAll('%20', '+')],
    ['URI twice', encodeURIComponent(encodeURIComponent(value))],
    ['base64', base64('')],
    ['base64 at offset 1', base64('x')],
    ['base64 at offset 2', base64('xy')],
    ['base64 for URLs', base64('x').replaceAll('+', '-').replaceAll('/', '_')],
    ['hex', Buffer.from(value).toString('hex')],
    ['HEX', Buffer.from(value).toString('hex').toUpperCase()],
    ['single quotes', `'${value.replaceAll("'", `'\\''`)}'`],
    ['double quotes', `"${value.replace(/["$`\\]/g, '\\$&')}"`],
    [
      'XML',
      value
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&apos;'),
    ],
    [
      'XML by number',
      value
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;'),
    ],
  ]
}

test('the password of a known address is redacted by itself, as it is written there and decoded', () => {
  const redactor = openRedaction({
    known: () => [
      { label: 'ENV:DATABASE_URL', value: 'postgres://app:p%40ss-W0rd@db.internal:5432/app?sslmode=require' },
    ],
  })
  expect(redactor.redact('it is p@ss-W0rd, or p%40ss-W0rd')).toBe(
    'it is [REDACTED:ENV:DATABASE_URL], or [REDACTED:ENV:DATABASE_URL]',
  )
  expect(redactor.redact('app connects to db.internal')).toBe('app connects to db.internal')
})

describe('a key of the service that is not one of this server', () => {
  const redactor = openRedaction({ known: () => [] })
  const key = exampleText('ym_ + 32 word')

  test.each([
    ['alone', (it: string) => it],
    ['in prose', (it: string) => `use ${it}, then restart`],
    ['in a header', (it: string) => `X-API-Key: ${it}`],
    ['in a variable', (it: string) => `YARDMASTER_KEY=${it}`],
    ['in JSON', (it: string) => JSON.stringify({ note: it })],
  ])('a key of the service that is not one of this server is redacted %s', (_, wrap) => {
    expect(redactor.redact(wrap(key))).toBe(wrap('[REDACTED:API_KEY]'))
  })

  test.each(['API_KEYS=alice-key-1,bob-key-2', 'export API_KEYS="first-of-ours, second"', 'API_KEYS: s3cret9,other7'])(
    'the list of keys of a service is redacted in %s',
    (text) => {
      const redacted = redactor.redact(text)
      for (const word of ['alice', 'bob', 'first', 's3cret9', 'other7']) expect(redacted).not.toContain(word)
    },
  )

  test.each(['const apiKeys = keys.map((key) => key.id)', 'apiKeys: string[]', 'API_KEYS=$KEYS', 'apiKeys(list)'])(
    'code that names keys of the service stays as it is: %s',
    (text) => {
      expect(redactor.redact(text)).toBe(text)
    },
  )
})
