import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { rankMatches } from '../../src/app/rank-matches.ts'
import { boardSearch } from '../../src/features/board/board-search.ts'
import { signInSearch } from '../../src/features/sign-in/sign-in-search.ts'
import { chordOf } from '../../src/shared/keys/commands.tsx'
import { Markdown } from '../../src/shared/kit/markdown.tsx'
import { formatDuration } from '../../src/shared/kit/time.tsx'

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
  expect(signInSearch({ next: '/costs?days=7' })).toEqual({ next: '/costs?days=7' })
  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 7])
    expect(signInSearch({ next })).toEqual({})
})

test('formatDuration names the two largest units', () => {
  expect([9.4, 250, 7_380].map(formatDuration)).toEqual(['9 s', '4 m 10 s', '2 h 3 m'])
})
