import { expect, test } from 'vitest'
import { jsonWithoutNul, storableText, withoutNul } from '../../src/platform/storable-text.ts'

test('replaces NUL and invalid UTF-8 by U+FFFD', () => {
  expect(withoutNul('a\0b')).toBe('a\uFFFDb')
  expect(storableText(Buffer.from([0x61, 0x00, 0xff, 0x62]))).toBe('a\uFFFD\uFFFDb')
})

test.each([
  ['a raw NUL', '"a\0"', '"a\uFFFD"'],
  ['an escaped NUL', '"a\\u0000"', '"a\\ufffd"'],
  ['an escaped NUL after an escaped backslash', '"\\\\\\u0000"', '"\\\\\\ufffd"'],
  ['an escaped backslash before u0000', '"\\\\u0000"', '"\\\\u0000"'],
])('%s in a line of JSON', (_, line, expected) => {
  expect(jsonWithoutNul(line)).toBe(expected)
})
