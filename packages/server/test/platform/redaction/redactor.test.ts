import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { exampleText } from '../../../src/platform/redaction/example-text.ts'
import { openRedactor, type Redactor } from '../../../src/platform/redaction/redactor.ts'

const run = promisify(execFile)
const token = exampleText('ghp_ + 36 alnum')
const megabyte = 'an ordinary sentence, as agents write many. '.repeat(24_000)
const redactors: Redactor[] = []
afterAll(() => Promise.all(redactors.map((redactor) => redactor.close())))

function open(options: Partial<Parameters<typeof openRedactor>[0]> = {}): Redactor {
  const redactor = openRedactor({ known: () => [], ...options })
  redactors.push(redactor)
  return redactor
}

/** A thread program that behaves as told, in a file of its own. */
function program(source: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'yardmaster-thread-')), 'thread.mjs')
  writeFileSync(path, `import { parentPort } from 'node:worker_threads'\n${source}`)
  return path
}

describe('a long text', () => {
  test('a long text is redacted also if Node was started with options that a thread does not accept', async () => {
    const built = new URL('../../../dist/platform/redaction/redactor.js', import.meta.url).href
    const source = `
      import { openRedactor } from ${JSON.stringify(built)}
      const redactor = openRedactor({ known: () => [] })
      process.stdout.write((await redactor.text('word '.repeat(100_000) + ${JSON.stringify(token)})).slice(-40))
      await redactor.close()`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source])
    expect(stdout).toMatch(/word \[REDACTED/)
  })

  test('a long text is redacted while the event loop keeps turning', async () => {
    const redactor = open()
    const line = JSON.stringify({ type: 'user', text: `${megabyte} ${token} ${megabyte}` })
    let isDone = false
    let turns = 0
    const redacted = redactor.lines([line]).finally(() => {
      isDone = true
    })
    while (!isDone) {
      await nextTurn()
      turns++
    }
    const [stored = ''] = await redacted
    expect(JSON.parse(stored).text).toBe(`${megabyte} [REDACTED:FORGE_TOKEN] ${megabyte}`)
    // Work on this thread leaves at most a few turns between its start and its end.
    expect(turns).toBeGreaterThan(20)
  })

  test('a long text reads the same in a thread as a short one does here, known values and counts included', async () => {
    const known = [{ label: 'ENV:ONE', value: 'first-known-value' }]
    const redactor = open({ known: () => known })
    expect(await redactor.text(`${megabyte}first-known-value`)).toBe(`${megabyte}[REDACTED:ENV:ONE]`)
    known.push({ label: 'ENV:TWO', value: 'second-known-value' })
    expect(await redactor.text(`${megabyte}second-known-value`)).toBe(`${megabyte}[REDACTED:ENV:TWO]`)
    expect(await redactor.text('second-known-value')).toBe('[REDACTED:ENV:TWO]')
    expect(Object.fromEntries(redactor.counts())).toEqual({ 'ENV:ONE': 1, 'ENV:TWO': 2 })
  })

  test('a long text keeps its place among texts that are redacted at the same time', async () => {
    const redactor = open()
    const texts = Array.from({ length: 12 }, (_, index) => `${index} ${megabyte.slice(0, 20_000)} ${token}`)
    const redacted = await Promise.all(texts.map(redactor.text))
    expect(redacted).toEqual(texts.map((text) => text.replace(token, '[REDACTED:FORGE_TOKEN]')))
  })
})

describe('an excerpt', () => {
  test('an excerpt is the redacted start of a text, at once, and has no half of a secret at its end', () => {
    const redactor = open({ thread: { program: '/nowhere' } })
    expect(redactor.excerpt(`the key is ${token}`)).toBe('the key is [REDACTED:FORGE_TOKEN]')
    // The secret crosses the end of the part that is looked at.
    const start = megabyte.slice(0, 16 * 1024 - 20)
    const excerpt = redactor.excerpt(`${start}${token} ${megabyte}`)
    expect(excerpt).toMatch(/^an ordinary sentence.*…$/)
    expect(excerpt.length).toBeGreaterThan(8000)
    expect(excerpt).not.toContain(token.slice(0, 8))
  })

  test('an excerpt of a long text that begins with a secret of its whole length shows nothing of it', () => {
    const lines = Array.from({ length: 400 }, () =>
      'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'.padEnd(64, 'x'),
    )
    const key = ['-----BEGIN PRIVATE KEY-----', ...lines].join('\n')
    expect(open().excerpt(key)).not.toContain('MIIEvQ')
  })
})

describe('redaction fails closed', () => {
  const secret = `${megabyte}${token}`

  test.each([
    ['crashes', `parentPort.on('message', () => { throw new Error('boom') })`],
    ['exits', `parentPort.on('message', () => process.exit(3))`],
    ['does not start', `throw new Error('broken')`],
    ['hangs', `parentPort.on('message', () => { for (;;); })`],
    ['never answers', `parentPort.on('message', () => undefined)`],
  ])('a text whose thread %s is withheld behind a marker', async (_, source) => {
    const withheld: unknown[] = []
    const redactor = open({
      thread: { program: program(source), budgetSeconds: () => 2, tickMs: 20 },
      onWithheld: (about) => withheld.push(about.characters),
    })
    expect(await redactor.text(secret)).toBe('[REDACTED:WITHHELD]')
    const [line = ''] = await redactor.lines([JSON.stringify({ text: secret })])
    expect(JSON.parse(line)).toEqual({
      type: 'withheld_entry',
      characters: secret.length + '{"text":""}'.length,
      text: '[REDACTED:WITHHELD]',
    })
    expect(withheld).toHaveLength(2)
    expect(redactor.counts().get('WITHHELD')).toBe(2)
  })

  test('only a long line that cannot be redacted is withheld, and the next texts get a new thread', async () => {
    const poisoned = program(`parentPort.on('message', ({ lines }) => {
      if (lines.some((line) => line.includes('poison'))) process.exit(1)
      parentPort.postMessage({ lines, counts: new Map() })
    })`)
    const redactor = open({ thread: { program: poisoned } })
    const fine = JSON.stringify({ text: megabyte })
    const poison = `"poison ${megabyte}"`
    const [first, second, third] = await redactor.lines([fine, poison, fine])
    expect([first, third]).toEqual([fine, fine])
    expect(second).toBe(`{"type":"withheld_entry","characters":${poison.length},"text":"[REDACTED:WITHHELD]"}`)
    expect(await redactor.text(megabyte)).toBe(megabyte)
  })

  test('short lines of a long batch are redacted without a thread if none can start', async () => {
    const redactor = open({ thread: { program: program(`throw new Error('no memory')`) } })
    const lines = await redactor.lines(Array.from({ length: 1000 }, (_, index) => `"${index} is the key ${token}"`))
    expect(lines).toEqual(Array.from({ length: 1000 }, (_, index) => `"${index} is the key [REDACTED:FORGE_TOKEN]"`))
  })
})
