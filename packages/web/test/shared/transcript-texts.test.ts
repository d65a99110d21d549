import { describe, expect, test } from 'vitest'
import { patternOf } from '../../src/features/transcripts/pattern-of.ts'
import { pretty } from '../../src/features/transcripts/pretty.ts'

test('a phrase is found in any case at its place in the text itself, also after a letter that is longer in lower case', () => {
  const placesOf = (text: string, phrase: string) =>
    [...text.matchAll(patternOf(phrase))].map(({ index, 0: found }) => [index, found])
  expect(placesOf('İstanbul', 'bul')).toEqual([[5, 'bul']])
  expect(placesOf('İİ Bul, BUL', 'bul')).toEqual([
    [3, 'Bul'],
    [8, 'BUL'],
  ])
  expect(placesOf('ΟΔΟΣ', 'οδος')).toEqual([[0, 'ΟΔΟΣ']])
})

test('no character of a phrase that is searched for has a meaning', () => {
  const marks = '^$\\.*+?()[]{}|/-&#,~ \ud800'
  for (const mark of marks) expect(`a${mark}b`.search(patternOf(`a${mark}b`))).toBe(0)
  expect('axb'.search(patternOf('a.b'))).toBe(-1)
  expect(marks.search(patternOf(marks))).toBe(0)
})

test('a phrase that is too long for a pattern is found by its beginning', () => {
  const long = 'aé'.repeat(200_000)
  expect(`x${long}`.search(patternOf(long))).toBe(1)
})

describe('JSON that is shown on several lines', () => {
  test('keeps numbers that are too long for a number, their digits after the point, and keys that occur twice', () => {
    expect(pretty('{"id":12345678901234567890,"share":1.0,"a":1,"a":2e400}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "share": 1.0,\n  "a": 1,\n  "a": 2e400\n}',
    )
  })

  test.each([
    '{"a":[1,{"b":"x, y: [z] {} \\" \\\\"}],"c":{},"d":[],"e":[[ ]],"f":null,"g":true}',
    ' [ 1 ,\n\t2 , { } ] ',
    '{"\\u00e9":"\\u65e5\\n","\\/":"\\ud800"}',
  ])('is indented as usual: %s', (text) => {
    expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2))
  })

  test('is left as it is if it is none, or only its beginning', () => {
    for (const text of ['[warn] a, b', '{"a":1', '12345678901234567890', '{a:1}', '']) expect(pretty(text)).toBe(text)
  })

  test('does not grow with the square of its depth', () => {
    const depth = 100_000
    expect(pretty('['.repeat(depth) + ']'.repeat(depth)).length).toBeLessThan(depth * 200)
  })
})
