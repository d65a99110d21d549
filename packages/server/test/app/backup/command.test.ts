import { expect, test } from 'vitest'
import { sizeOf } from '../../../src/app/backup/command.ts'

test.each([
  [1, '1 kB'],
  [41_502, '41 kB'],
  [3 * 1024 * 1024, '3.0 MB'],
])('a backup of %i bytes is said to have %s', (bytes, size) => {
  expect(sizeOf(bytes)).toBe(size)
})
