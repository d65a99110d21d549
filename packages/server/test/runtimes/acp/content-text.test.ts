import { expect, test } from 'vitest'
import { cut } from '../../../src/runtimes/acp/content-text.ts'

test('cut says how much is missing and leaves out a secret that the limit would split', () => {
  expect(cut('export KEY=ghp_a1B2a1B2', 18)).toBe('export … [16 more characters]')
  expect(cut('short', 18)).toBe('short')
})
