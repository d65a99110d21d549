import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { rankMatches } from '../../src/app/rank-matches.ts'
import { boardSearch } from '../../src/features/board/board-search.ts'
import { daysOf } from '../../src/features/costs/days-of.ts'
import { dollars } from '../../src/features/costs/dollars.ts'
import { searchSearch } from '../../src/features/search/search-search.ts'
import { nameOfSession } from '../../src/features/sessions/name-of-session.ts'
import { signInSearch } from '../../src/features/sign-in/sign-in-search.ts'
import { withNewer, withOlder } from '../../src/features/transcripts/use-entries.ts'
import { chordOf } from '../../src/shared/keys/commands.tsx'
import { lexWithin } from '../../src/shared/kit/bounded-lexer.ts'
import { Markdown } from '../../src/shared/kit/markdown.tsx'
import { readable } from '../../src/shared/kit/readable.ts'
import { formatDuration } from '../../src/shared/kit/time.tsx'

test('a transcript keeps 2,000 entries: reading up lets go of the end, reading down of the beginning', () => {
  const entries = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => ({ sequence: first + index }))
  const up = withOlder(entries(201, 2_200), entries(1, 200))
  expect([up.length, up[0], up.at(-1)]).toEqual([2_000, { sequence: 1 }, { sequence: 2_000 }])
  const down = withNewer(up, entries(2_001, 2_200))
  expect([down.length, down[0], down.at(-1)]).toEqual([2_000, { sequence: 201 }, { sequence: 2_200 }])
  expect(withNewer(entries(1, 3), [])).toEqual(entries(1, 3))
})

test('a session is named by its prompt while its title is only its number', () => {
  const session = { id: 7, title: 'Session 7', prompt: '  Fix the retry\nand test it' }
  expect(nameOfSession({ ...session, metadata: { auto_generated_title: true } })).toBe('Fix the retry')
  expect(nameOfSession({ ...session, metadata: {} })).toBe('Session 7')
  expect(nameOfSession({ ...session, title: null })).toBe('Fix the retry')
  expect(nameOfSession({ id: 7, title: null, prompt: null })).toBe('Session 7')
})

const html = (text: string) => renderToStaticMarkup(createElement(Markdown, null, text))

describe('Markdown', () => {
  test('shows HTML as text, and makes no link of an address that could run code', () => {
    expect(html('<img src=x onerror=alert(1)> <script>alert(1)</script>')).not.toMatch(/<img|<script/)
    expect(html('[a](javascript:alert(1)) [b](data:text/html,x) <javascript:alert(1)>')).not.toContain('href')
    expect(html('![pixel](https://tracker.example/p.gif)')).not.toContain('<img')
    expect(html('[c](https://forge.example/1) [d](/sessions/7)')).toMatch(
      /href="https:\/\/forge.example\/1".*href="\/sessions\/7"/,
    )
  })

  test('shows lists, tables, code and emphasis as such', () => {
    const shown = html(
      '# Title\n\n- one\n- [x] two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a = "<b>"\n```\n\n**bold** `code`',
    )
    for (const part of ['<ul', 'checked', '<th', '<pre', '&lt;b&gt;', '<strong', '<code']) expect(shown).toContain(part)
  })

  test.each([
    ['unclosed emphasis in emphasis', '**a **b *c'],
    ['marks of two kinds', '_*a '],
    ['marks between words', '**a*b '],
    ['marks before quotes', '"*a" '],
    ['one long word of marks', '*a'],
    ['one long word of underscores', '_a'],
  ])('shows 8 kB of %s as it is written instead of looking for its end for seconds', (_, piece) => {
    const text = piece.repeat(8_000 / piece.length)
    expect(() => lexWithin(text)).toThrow('too much work')
    expect(html(text)).toContain(piece.repeat(20).replaceAll('"', '&quot;'))
    expect(html(text)).not.toMatch(/<em|<strong/)
  })

  test.each([
    [
      'a table with a cell for each pair of its columns and lines',
      `|${'a|'.repeat(1_000)}\n|${'-|'.repeat(1_000)}\n${'a\n'.repeat(2_000)}`,
    ],
    ['an item of a list with 25,000 lines', `- a\n${'  b\n'.repeat(24_000)}`],
  ])('shows %s as it is written', (_, text) => {
    expect(() => lexWithin(text)).toThrow('too much work')
    expect(html(text)).not.toMatch(/<table|<ul/)
  })

  test('a long text with marks everywhere, as people and agents write them, is within the budget', () => {
    const piece = [
      '## What *changed* in `a_b.ts`\n',
      'The **first** one, _not_ ~~the other~~: some_snake_case_name and src/**/*.ts, 2 * 3 * 4, [a](https://a.example/b_c).\n'.repeat(
        8,
      ),
      '- one **bold** item\n  that goes on\n- two\n\n| a | b |\n|---|---|\n| *1* | **2** |\n',
    ].join('\n')
    const text = piece.repeat(90_000 / piece.length)
    expect(lexWithin(text).length).toBeGreaterThan(100)
    expect(html(text)).toMatch(/<strong.*<table/s)
  })

  test.each([
    ['quotes', '>'.repeat(8_000)],
    ['lists', `${'- '.repeat(4_000)}x`],
    ['emphasis', `${'*a _b '.repeat(700)}c${'_ *'.repeat(700)}`],
    ['cells of a table', `| ${'*a _b '.repeat(300)}c${'_ *'.repeat(300)} |\n|---|`],
  ])('shows %s that are nested too deep as they are written', (_, text) => {
    expect(html(text)).toMatch(/^<div[^>]*><p[^>]*>[^<]*<\/p><\/div>$/)
    expect(html(text)).toContain(text.slice(0, 40).replaceAll('>', '&gt;'))
  })

  test('shows quotes and lists of a few levels as such, and a very long text as it is written', () => {
    expect(html('> a\n>> b\n>>> c').match(/<blockquote/g)).toHaveLength(3)
    expect(html(`**a** ${'long '.repeat(30_000)}`)).not.toContain('<strong')
  })
})

test('readable shows marks of direction by their numbers, and leaves the colours of a terminal out', () => {
  expect(readable('rm \u202eefas # txt.seton\u2069')).toBe('rm [U+202E]efas # txt.seton[U+2069]')
  expect(readable('\u001b[1;31mFAIL\u001b[0m a.test.ts [31m')).toBe('FAIL a.test.ts [31m')
  expect(readable('\u05e9\u05dc\u05d5\u05dd, yard')).toBe('\u05e9\u05dc\u05d5\u05dd, yard')
})

test('rankMatches prefers a beginning to a word, a word to a part, and a part to scattered letters', () => {
  const labels = ['Recover the yard', 'Show coasts', 'Accosted', 'Costs', 'Low costs']
  expect(rankMatches(labels, 'cost', (label) => label)).toEqual(['Costs', 'Low costs', 'Accosted', 'Show coasts'])
  expect(rankMatches(labels, '', (label) => label)).toEqual(labels)
})

test('chordOf names the keys as commands do', () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
  expect(chordOf({ ...none, key: 'K', metaKey: true })).toBe('mod+k')
  expect(chordOf({ ...none, key: '?', shiftKey: true })).toBe('?')
  expect(chordOf({ ...none, key: 'ArrowUp', altKey: true, shiftKey: true })).toBe('alt+shift+arrowup')
})

test('what an address says is taken only if it makes sense', () => {
  expect(boardSearch({ status: 'failed' })).toEqual({ status: 'failed' })
  expect(boardSearch({ status: 'no such' })).toEqual({})
  expect(searchSearch({ q: 404, status: '', genesis: ['api'] })).toEqual({ q: '404' })
  expect(signInSearch({ next: '/costs?days=7' })).toEqual({ next: '/costs?days=7' })
  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 7])
    expect(signInSearch({ next })).toEqual({})
})

test('an amount below a cent is said to be one, and nothing is free but nothing', () => {
  expect([0, 0.000091, 0.01, 12.5].map(dollars)).toEqual(['$0.00', '< $0.01', '$0.01', '$12.50'])
})

test('the days of costs are those of the window; the day that begins at its end is one only if it has calls', () => {
  const day = { cost_usd: 0, session_cost_usd: 0, adhoc_cost_usd: 0, tokens: 1, api_calls: 1, roots: [], models: [] }
  const keys = (from: string, to: string, days: string[]) => {
    const by_day = days.map((each) => ({ ...day, day: each }))
    const costs = { window: { from, to }, by_day, by_agent_root: [], by_model: [] }
    return daysOf(costs, { by: 'root', unit: 'tokens' }).bars.map(({ key }) => key)
  }
  const noon = ['2026-11-29T12:00:00Z', '2026-12-01T12:01:00Z'] as const
  expect(keys(...noon, ['2026-11-30'])).toEqual(['2026-11-29', '2026-11-30', '2026-12-01'])
  const midnight = ['2026-11-29T23:59:00Z', '2026-12-01T00:00:00Z'] as const
  expect(keys(...midnight, ['2026-11-30'])).toEqual(['2026-11-29', '2026-11-30'])
  expect(keys(...midnight, ['2026-12-01'])).toEqual(['2026-11-29', '2026-11-30', '2026-12-01'])
})

test('formatDuration names the two largest units', () => {
  expect([9.4, 250, 7_380].map(formatDuration)).toEqual(['9 s', '4 m 10 s', '2 h 3 m'])
  expect([0, 60, 7_200].map(formatDuration)).toEqual(['0 s', '1 m', '2 h'])
})
