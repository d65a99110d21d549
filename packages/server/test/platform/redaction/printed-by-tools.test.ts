import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { exampleText } from '../../../src/platform/redaction/example-text.ts'
import { openRedaction } from '../../../src/platform/redaction/redaction.ts'

const redaction = openRedaction({ known: () => [{ label: 'ENV:KNOWN', value: 'Kn0wn-secret-of-ours' }] })
const token = exampleText('ghp_ + 36 alnum')
const password = 'hunter2Hunter9x'
const file = `PORT=3000\nGH=${token}\nDB_PASSWORD=${password}\nours is Kn0wn-secret-of-ours here\nLOG_LEVEL=info\n`
const secrets = [token, password, 'Kn0wn-secret-of-ours']

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { input: file, encoding: 'utf8' })

/** Programs that not every machine has, in their own layouts. */
const xxd = ({ group = 2, columns = 16 } = {}): string =>
  rows(columns)
    .map(({ at, bytes }) => {
      const hex = bytes.map(
        (byte, index) => byte.toString(16).padStart(2, '0') + (index % group === group - 1 ? ' ' : ''),
      )
      const width = columns * 2 + Math.ceil(columns / group)
      return `${at.toString(16).padStart(8, '0')}: ${hex.join('').padEnd(width)} ${shown(bytes)}`
    })
    .join('\n')
const hexdump = (): string =>
  rows(16)
    .map(({ at, bytes }) => {
      const hex = bytes.map((byte, index) => byte.toString(16).padStart(2, '0') + (index === 7 ? '  ' : ' '))
      return `${at.toString(16).padStart(8, '0')}  ${hex.join('').padEnd(50)}|${shown(bytes)}|`
    })
    .join('\n')

function rows(columns: number): { at: number; bytes: number[] }[] {
  const bytes = [...Buffer.from(file)]
  return Array.from({ length: Math.ceil(bytes.length / columns) }, (_, row) => ({
    at: row * columns,
    bytes: bytes.slice(row * columns, (row + 1) * columns),
  }))
}

function shown(bytes: readonly number[]): string {
  return bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
}

const outputs: [string, string][] = [
  ['xxd', xxd()],
  ['xxd -g 1', xxd({ group: 1 })],
  ['xxd -c 8', xxd({ columns: 8 })],
  ['xxd -p', Buffer.from(file).toString('hex').replace(/.{60}/g, '$&\n')],
  ['hexdump -C', hexdump()],
  ...['-x', '-c', '-b', '-a', '-o', '-t x1', '-t x1z', '-An -t x1', '-t x4'].map((options): [string, string] => [
    `od ${options}`,
    run('od', '-v', ...options.split(' ')),
  ]),
  ['base64', run('base64')],
  ['base64 -w 20', run('base64', '-w', '20')],
  ['base64 -w 0', run('base64', '-w', '0')],
  ['fold -w 16', run('fold', '-w', '16')],
  ['fold -w 20', run('fold', '-w', '20')],
  ['fold -w 33', run('fold', '-w', '33')],
]

describe('a secret in the output of', () => {
  test.each(outputs)(
    'a secret in the output of %s is redacted in every column, in free text and in a transcript',
    (_, output) => {
      const redacted = redaction.redact(output)
      for (const secret of secrets) {
        for (const spelling of spellings(secret))
          expect(readings(redacted).some((text) => text.includes(spelling))).toBe(false)
      }
      expect(JSON.parse(redaction.redact(JSON.stringify({ stdout: output }))).stdout).toBe(redacted)
      expect(redaction.redact(redacted)).toBe(redacted)
      expect(redacted.split('\n')).toHaveLength(output.split('\n').length)
    },
  )
})

/** Any eight bytes of a secret in a row would be a leak, whatever shows them. */
function spellings(secret: string): string[] {
  const part = secret.slice(4, 12)
  const bytes = [...Buffer.from(part)]
  const swapped = bytes.flatMap((_, index) => (index % 2 === 0 ? [bytes[index + 1] ?? 0, bytes[index] ?? 0] : []))
  const inHex = (list: number[]) => list.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const inOctal = bytes.map((byte) => byte.toString(8).padStart(3, '0')).join('')
  return [part, inHex(bytes), inHex(swapped), inOctal]
}

/** The text without blanks and line breaks, and what it is in base64. */
function readings(text: string): string[] {
  const joined = text.replace(/\s+/g, '')
  return [text, joined, Buffer.from(joined.replace(/\[REDACTED:[^\]]*\]/g, '....'), 'base64').toString('utf8')]
}

describe('stays as it is:', () => {
  test.each([
    ['a dump of ordinary text', '0000000   h   e   l   l   o  \\n\n0000006\n'],
    ['a dump of an image', '00000000: 8950 4e47 0d0a 1a0a 0000 000d 4948 4452  .PNG........IHDR\n'],
    ['a table of numbers', '1000000 12 34 56 78\n1000001 22 33 44 55\n'],
    ['checksums of equal length', `${exampleText('40 hex')}  token.ts\n${exampleText('1 hex + 39 hex')}  other.ts\n`],
    [
      'a paragraph that was wrapped',
      'The token was refreshed and the key of the map is\nnot the password of the user, which is stored hashed\n',
    ],
  ])('redaction leaves as it is: %s', (_, text) => {
    expect(redaction.redact(text)).toBe(text)
  })
})

describe('a secret that a stream splits over adjacent lines', () => {
  const event = (text: string, index: number): string =>
    JSON.stringify({ type: 'stream_event', uuid: `event-${index}`, delta: { type: 'text_delta', text } })

  test.each([[[12]], [[1, 39]], [[8, 16, 24]], [[20, 21, 22]]])(
    'a secret that a stream splits over adjacent lines at %j is redacted in each of them',
    (cuts) => {
      const text = `it printed "${token}"\nand went on`
      const at = text.indexOf(token)
      const pieces = [0, ...cuts.map((cut) => at + cut)].map((start, index, all) => text.slice(start, all[index + 1]))
      const redacted = redaction.redactLines(pieces.map(event))
      const joined = redacted.map((line) => JSON.parse(line).delta.text).join('')
      expect(joined.replace(/(?:\[REDACTED:FORGE_TOKEN\])+/, token)).toBe(text)
      expect(joined).not.toContain(token.slice(5, 12))
      expect(redacted.map((line) => JSON.parse(line).uuid)).toEqual(pieces.map((_, index) => `event-${index}`))
    },
  )

  test('a word after a secret that is whole at the end of a line stays as it is', () => {
    const [first, second] = redaction.redactLines([event(`it is ${token}`, 1), event('more', 2)])
    expect(JSON.parse(first ?? '').delta.text).toBe('it is [REDACTED:FORGE_TOKEN]')
    expect(second).toBe(event('more', 2))
  })

  test('lines of different shapes, and pieces that form no secret, stay as they are', () => {
    const lines = [event('hello ', 1), event('world', 2), JSON.stringify({ type: 'result', text: token.slice(20) })]
    expect(redaction.redactLines(lines)).toEqual(lines)
  })
})
