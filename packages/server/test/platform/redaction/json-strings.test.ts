import { expect, test } from 'vitest'
import { findJsonStrings } from '../../../src/platform/redaction/json-strings.ts'

/** A text that counts how often a character is read. Anything that would read all of it at once is missing. */
function countingText(text: string) {
  const reads = { count: 0 }
  const counting = {
    length: text.length,
    charCodeAt: (at: number) => {
      reads.count++
      return text.charCodeAt(at)
    },
  }
  return { reads, counting: counting as unknown as string } // stands in for a string in its reader
}

test.each([
  ['open brackets', '['],
  ['brackets in lines', '[\n'],
  ['empty strings', '"",'],
  ['keys', '{"a":'],
  ['escaped quotes', '"\\"\\\\",'],
])('finding the strings of %s reads each character a constant number of times', (_, piece) => {
  for (const length of [1000, 100_000]) {
    const { reads, counting } = countingText(piece.repeat(length))
    findJsonStrings(counting)
    expect(reads.count).toBeLessThanOrEqual(4 * piece.length * length)
  }
})

test('strings are found with their escapes and their roles', () => {
  const text = '{"a": "b\\"c", "d\\\\" : ["e", 1.5e3, null]}'
  expect(findJsonStrings(text)?.map(({ start, end, ...rest }) => ({ text: text.slice(start, end), ...rest }))).toEqual([
    { text: 'a', isKey: true, hasEscapes: false },
    { text: 'b\\"c', isKey: false, hasEscapes: true },
    { text: 'd\\\\', isKey: true, hasEscapes: true },
    { text: 'e', isKey: false, hasEscapes: false },
  ])
})

test.each(['{"a', '["a\\"', '{"a": b}', '["a\\'])('%s is not JSON', (text) => {
  expect(findJsonStrings(text)).toBeUndefined()
})
