import { expect, test } from 'vitest'
import { sideBySide } from '../../../../scripts/bench-against.mjs'

test('prints the ratio of every run beside the current text of the line', () => {
  const before = [['The list takes 1.20 times as long (target: at most 1.5)'], ['The list takes 1.30 times as long']]
  const after = [['A list takes 1.10 times as long (9.5 ms)'], ['A list takes 1.15 times as long (9.7 ms)']]

  expect(sideBySide({ before, after })).toEqual([
    'before 1.20, 1.30 | after 1.10, 1.15 | A list takes 1.10 times as long (9.5 ms)',
  ])
})

test('uses the last whole number before the target when a line has no ratio', () => {
  const lines = (megabytes: number) => [`50 of 50 sessions finished; the server used ${megabytes} MB (target: 300 MB)`]

  expect(sideBySide({ before: [lines(250)], after: [lines(240)] })).toEqual([
    'before 250 | after 240 | 50 of 50 sessions finished; the server used 240 MB (target: 300 MB)',
  ])
})

test('shows a line that only one revision prints', () => {
  expect(sideBySide({ before: [['a 1.0', 'b 2.0']], after: [['a 1.1']] })).toEqual([
    'before 1.0 | after 1.1 | a 1.1',
    'before 2.0 | after - | only in the other revision',
  ])
})
