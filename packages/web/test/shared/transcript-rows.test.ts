import { expect, test } from 'vitest'
import { keepEqual, type Row, rowsOf } from '../../src/features/transcripts/rows.ts'
import type { Entry, EntryPart } from '../../src/features/transcripts/use-entries.ts'

type Part = Pick<EntryPart, 'type' | 'text'> & Partial<EntryPart>

function entry(sequence: number, kind: Entry['kind'], part: Part): Entry {
  return { sequence, kind, turn: 1, written_at: '2026-11-19T08:00:00Z', parts: [part as EntryPart] } as Entry
}

const said = (sequence: number) => entry(sequence, 'assistant', { type: 'text', text: `entry ${sequence}` })
const called = (sequence: number, id: string) =>
  entry(sequence, 'assistant', { type: 'tool_call', text: '{}', tool_name: 'run', tool_use_id: id })
const answered = (sequence: number, id: string) =>
  entry(sequence, 'tool_result', { type: 'tool_result', text: 'done', tool_use_id: id })

/** The keys of the rows that are drawn again when these entries take the place of those. */
function drawnAgain(before: readonly Entry[], after: readonly Entry[], hasOlder = false): string[] {
  const old: readonly Row[] = rowsOf(before, { hasOlder })
  return keepEqual(rowsOf(after, { hasOlder: false }), old)
    .filter((row) => !old.includes(row))
    .map(({ key }) => key)
}

const first = [said(1), called(2, 'a'), answered(3, 'a'), said(4), called(5, 'b')]

test('an entry that is added at the end leaves the rows before it the same objects', () => {
  expect(drawnAgain(first, first)).toEqual([])
  expect(drawnAgain(first, [...first, said(6)])).toEqual(['e6.0'])
})

test('the result of a call draws the group of the call again, and no other row', () => {
  expect(drawnAgain(first, [...first, answered(6, 'b')])).toEqual(['g5.0'])
})

test('a call that joins the last group draws that group again', () => {
  expect(drawnAgain(first, [...first, called(6, 'c')])).toEqual(['g5.0'])
})

test('entries that are added above leave the rows below them the same objects', () => {
  expect(drawnAgain([said(7), said(8)], [said(5), said(6), said(7), said(8)], true)).toEqual([
    't1-5',
    'e5.0',
    'e6.0',
    'e7.0',
  ])
})
