import { describe, expect, test } from 'vitest'
import { cutChunks } from '../../../src/domain/search/cut-chunks.ts'
import { learn, planStep } from '../../../src/domain/search/next-step.ts'
import { lineMatcher, phraseOf, sharedUnits } from '../../../src/domain/search/phrase.ts'
import { isSettled, settlePage } from '../../../src/domain/search/settle-page.ts'

describe('chunks', () => {
  test('hold several short lines, at most 8 KB, and end at a line end', () => {
    const lines = Array.from({ length: 500 }, (_, n) => `Line ${n} ${'y'.repeat(n % 90)}`)
    const cut = cutChunks(lines)
    const chunks = cut.map(({ text }) => text)
    expect(chunks.join('\n')).toBe(lines.join('\n').toLowerCase())
    expect(Math.max(...chunks.map((chunk) => Buffer.byteLength(chunk)))).toBeLessThanOrEqual(8192)
    expect(chunks.length).toBeLessThan(6)
    for (const { text, line } of cut) expect(text.startsWith(`line ${line} `)).toBe(true)
  })

  test.each(['a', 'é', '漢', '😀'])(
    'a long line of %j is cut into pieces that share enough and break no character',
    (unit) => {
      const line = Array.from({ length: 9000 }, (_, n) => `${unit}${n % 10}`).join('')
      const pieces = cutChunks(['before', line]).flatMap(({ text, line: index }) => (index === 1 ? text : []))
      expect(pieces.length).toBeGreaterThan(1)
      for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
      for (let at = 0; at + sharedUnits <= line.length; at += 97) {
        const part = line
          .slice(at, at + sharedUnits)
          .toWellFormed()
          .replaceAll('\uFFFD', '')
        expect(pieces.some((piece) => piece.includes(part))).toBe(true)
      }
    },
  )
})

describe('a phrase', () => {
  test('a search phrase has the spellings of JSON with and without spaces', () => {
    const spellings = (query: string) => phraseOf(query).spellings.map(({ text }) => text)
    expect(spellings('Plain')).toEqual(['plain'])
    expect(spellings('"a":"b,c"')).toEqual(['"a":"b,c"', '"a": "b,c"', '"a": "b, c"'])
    expect(spellings('"a": 1,')).toEqual(['"a": 1,'])
    expect(spellings('x, y')).toEqual(['x, y'])
  })

  test('a search phrase becomes a pattern whose only wildcards are at its ends', () => {
    expect(phraseOf('50%_\\').spellings[0]?.pattern).toBe('%50\\%\\_\\\\%')
  })

  test('a search phrase over two lines matches only adjacent lines', () => {
    const isIn = lineMatcher(phraseOf('b\nc'))
    expect(['ab', 'x', 'ab', 'cd'].map(isIn)).toEqual([false, false, false, true])
  })
})

describe('a page', () => {
  const page = { perPage: 2, chunkSessions: 4 }

  test('a page of a search is settled by one match more than fits, or at the end of the chunk that filled it', () => {
    expect(isSettled({ matches: [0, 1], checked: 3, candidates: 10 }, page)).toBe(false)
    expect(isSettled({ matches: [0, 1], checked: 4, candidates: 10 }, page)).toBe(true)
    expect(isSettled({ matches: [0, 1, 2], checked: 3, candidates: 10 }, page)).toBe(true)
    expect(isSettled({ matches: [0], checked: 10, candidates: 10 }, page)).toBe(true)
  })

  test('a page of a search covers its chunk, or ends after its last match', () => {
    expect(settlePage({ matches: [0, 1], checked: 9, candidates: 10 }, page)).toEqual({ shown: [0, 1], covered: 4 })
    expect(settlePage({ matches: [0, 1, 3], checked: 9, candidates: 10 }, page)).toEqual({ shown: [0, 1], covered: 2 })
    expect(settlePage({ matches: [0, 1, 5], checked: 9, candidates: 10 }, page)).toEqual({ shown: [0, 1], covered: 4 })
    expect(settlePage({ matches: [0], checked: 7, candidates: 10 }, page)).toEqual({ shown: [0], covered: 7 })
  })
})

describe('a step', () => {
  const options = { missing: 26, sparseness: 1, isIndexable: true }

  test('a step of a search reads a few sessions for a common phrase, and queries the index over many for a rare one', () => {
    const everywhere = planStep({ reads: 50, hits: 50, chunksPerSession: 32 }, options)
    expect(everywhere).toMatchObject({ isByIndex: false })
    expect(everywhere.sessions).toBeLessThan(200)
    const rare = planStep({ reads: 50, hits: 0, chunksPerSession: 32 }, options)
    expect(rare).toMatchObject({ isByIndex: true })
    expect(rare.sessions).toBeGreaterThan(everywhere.sessions)
  })

  test('a step of a search never uses the index for a phrase it cannot look up, and always makes progress', () => {
    const short = planStep({ reads: 5000, hits: 0, chunksPerSession: 50_000 }, { ...options, isIndexable: false })
    expect(short).toEqual({ isByIndex: false, sessions: 1 })
  })

  test('a step of a search updates its estimate from the result', () => {
    const before = { reads: 50, hits: 0, chunksPerSession: 32 }
    const after = learn(before, { isByIndex: true, sessions: 500, holders: 0, hits: 0 })
    expect(planStep(after, options).sessions).toBeGreaterThan(planStep(before, options).sessions)
  })
})
