import { expect, test } from 'vitest'
import { leadingWords, withoutFirstWord, withoutLastWord } from '../../src/platform/whole-words.ts'

test('leadingWords keeps a text within the limit and leaves out the word that the limit splits', () => {
  expect(leadingWords('key sk-secret', 13)).toBe('key sk-secret')
  expect(leadingWords('key sk-secret', 12)).toBe('key ')
  expect(leadingWords('{"key":"sk-secret"}', 12)).toBe('{"key":"')
})

test('withoutLastWord leaves nothing of a text that is one split word, but keeps data longer than any secret', () => {
  expect(withoutLastWord('sk-sec')).toBe('')
  const data = `name ${'x'.repeat(5000)}`
  expect(withoutLastWord(data)).toBe(data)
})

test('withoutFirstWord leaves out a word whose start is missing', () => {
  expect(withoutFirstWord('cret was refused')).toBe(' was refused')
  expect(withoutFirstWord('cret')).toBe('')
  expect(withoutFirstWord('x'.repeat(5000))).toBe('x'.repeat(5000))
})
