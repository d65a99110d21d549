import { expect, test } from 'vitest'
import { lastSaidIn } from '../../../src/domain/transcripts/last-said.ts'

const said = (text: unknown) =>
  JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } })
const user = JSON.stringify({ type: 'user', message: { role: 'user', content: 'the "assistant" said nothing' } })

test('the last line of what the agent said last is found among other entries', async () => {
  expect(await lastSaidIn([said('first'), said('Found it.\n\n```\ncode\n```\n'), user])).toBe('code')
  expect(await lastSaidIn([said('Done:\n---\n')])).toBe('Done:')
  expect(await lastSaidIn([user])).toBeUndefined()
  expect(await lastSaidIn([])).toBeUndefined()
})

test('characters that no column can hold are replaced, and long lines are cut', async () => {
  expect(await lastSaidIn([said('a\u0000b\tc\ud800')])).toBe('a b c\ufffd')
  const line = await lastSaidIn([said('😀'.repeat(500).concat('x'))])
  expect(Array.from(line ?? '')).toHaveLength(120)
})

test('a line of megabytes is read by its outline, and lines that are not JSON are skipped', async () => {
  expect(await lastSaidIn([said('y'.repeat(3_000_000))])).toMatch(/^y+\.\.\.$/)
  expect(await lastSaidIn(['{"assistant"', 'null', '"assistant"', said(5), said(null)])).toBeUndefined()
})
