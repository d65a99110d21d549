import { expect, test } from 'vitest'
import { truncate, truncateMiddle } from '../../src/platform/truncate.ts'

test('truncate keeps a text of the maximum length, counted in code points', () => {
  expect(truncate('12345', 5)).toBe('12345')
  expect(truncate('🚂🚂🚂🚂🚂', 5)).toBe('🚂🚂🚂🚂🚂')
})

test('truncate ends a longer text with the marker, within the maximum, and splits no surrogate pair', () => {
  expect(truncate('123456', 5)).toBe('12...')
  expect(truncate('🚂🚂🚂🚂🚂🚂', 5)).toBe('🚂🚂...')
  expect(truncate('🚂🚂🚂🚂🚂🚂', 5, '…')).toBe('🚂🚂🚂🚂…')
})

test('truncateMiddle keeps the start and the end of a longer text, within the maximum', () => {
  expect(truncateMiddle('1234567', 7)).toBe('1234567')
  expect(truncateMiddle('12345678', 7)).toBe('12 … 78')
})
