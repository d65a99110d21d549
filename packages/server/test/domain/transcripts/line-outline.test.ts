import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { outlineOf } from '../../../src/domain/transcripts/line-outline.ts'

const megabyte = 'a "quoted" word\n\u2028'.repeat(60_000)

test('a short line is its own outline', async () => {
  expect(await outlineOf('{"text":"short"}')).toBe('{"text":"short"}')
})

test('the outline of a long line has its fields, with long strings cut short', async () => {
  const entry = { type: 'assistant', content: [{ type: 'text', text: megabyte }], usage: { input_tokens: 7 }, id: 'm1' }
  const outline = JSON.parse((await outlineOf(JSON.stringify(entry))) ?? '')
  expect(outline).toEqual({ ...entry, content: [{ type: 'text', text: expect.any(String) }] })
  expect(megabyte.startsWith(outline.content[0].text)).toBe(true)
  expect(outline.content[0].text.length).toBeGreaterThan(500)
})

test('a string is never cut inside an escape', async () => {
  for (let shift = 0; shift < 12; shift++) {
    const text = 'x'.repeat(shift) + '\u0001"\\'.repeat(30_000)
    expect(JSON.parse((await outlineOf(JSON.stringify({ text, id: 1 }))) ?? '').id).toBe(1)
  }
})

test.each([
  ['deeply nested brackets', '['.repeat(1_000_000)],
  ['a million numbers', JSON.stringify({ list: Array(1_000_000).fill(7) })],
  ['text that is not JSON', 'x'.repeat(1_000_000)],
])('%s have no outline, so nothing parses them', async (_, line) => {
  expect(await outlineOf(line)).toBeUndefined()
})

test('the event loop turns while a line of megabytes is read', async () => {
  const outline = outlineOf(JSON.stringify({ text: megabyte.repeat(4) }))
  let turns = 0
  let isDone = false
  void outline.then(() => {
    isDone = true
  })
  while (!isDone) {
    await nextTurn()
    turns++
  }
  expect(turns).toBeGreaterThan(10)
})
