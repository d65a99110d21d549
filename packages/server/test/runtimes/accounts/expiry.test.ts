import { expect, test } from 'vitest'
import { expiryOf } from '../../../src/runtimes/accounts/expiry.ts'

test('reads the time at which a token expires', () => {
  expect(expiryOf(1_794_900_000_000)).toBe('2026-11-17T07:20:00.000Z')
})

test.each([null, undefined, 0, -1e15, 8.64e15, Number.POSITIVE_INFINITY, Number.NaN])(
  'a time that a token cannot expire at (%s) is not known',
  (ms) => {
    expect(expiryOf(ms)).toBeNull()
  },
)
