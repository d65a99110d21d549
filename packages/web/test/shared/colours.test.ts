import { describe, expect, test } from 'vitest'
import { piecesOf as terminalPieces } from '../../src/features/transcripts/terminal-text.tsx'
import { piecesOf as codePieces } from '../../src/shared/colours/pieces.ts'

const escapeMark = '\u001b'
const textOf = (pieces: readonly { text: string }[] = []) => pieces.map(({ text }) => text).join('')

describe('output of a terminal', () => {
  test('has the 16 colours, bold, underline and their ends as classes', () => {
    const output = `${escapeMark}[1;31mFAIL${escapeMark}[0m a ${escapeMark}[4mb${escapeMark}[24m ${escapeMark}[38;5;10mok${escapeMark}[39m${escapeMark}[90m.${escapeMark}[m`
    expect(terminalPieces(output)).toEqual([
      { text: 'FAIL', look: 'text-failed font-bold' },
      { text: ' a ', look: '' },
      { text: 'b', look: 'underline' },
      { text: ' ', look: '' },
      { text: 'ok', look: 'text-ok' },
      { text: '.', look: 'text-faint' },
    ])
  })

  test('ignores true colours and grounds, without taking their numbers for codes', () => {
    expect(terminalPieces(`${escapeMark}[38;2;1;4;31mx${escapeMark}[48;5;1my${escapeMark}[38;5;200mz`)).toEqual([
      { text: 'xyz', look: '' },
    ])
  })

  test('leaves out what moves the cursor and names links, and shows marks of direction by their numbers', () => {
    const output = `${escapeMark}[2K${escapeMark}[1Gone${escapeMark}]8;;https://a.example${escapeMark}\\two${escapeMark}]8;;${escapeMark}\\ \u202e`
    expect(textOf(terminalPieces(output))).toBe('onetwo [U+202E]')
  })

  test.each([
    ['a code without an end', `a${escapeMark}[31`, `a${escapeMark}[31`],
    ['a link without an end', `a${escapeMark}]8;;${'x'.repeat(5_000)}`, `a${escapeMark}]8;;${'x'.repeat(5_000)}`],
    ['a million codes', `${escapeMark}[31m`.repeat(1_000_000), ''],
    ['more colours than are drawn', `${escapeMark}[31mx${escapeMark}[32my`.repeat(100_000), 'xy'.repeat(100_000)],
  ])('keeps the text of %s, in few pieces', (_, output, text) => {
    const pieces = terminalPieces(output)
    expect(textOf(pieces)).toBe(text)
    expect(pieces.length).toBeLessThan(6_000)
  })
})

describe('code', () => {
  test('has an ink for its keywords, strings, numbers and comments, and keeps its text', () => {
    const text = 'const a = "<b>" // why\nreturn 7'
    const pieces = codePieces(text, 'ts')
    expect(textOf(pieces)).toBe(text)
    expect(pieces).toContainEqual({ text: 'const', ink: 'text-accent-text' })
    expect(pieces).toContainEqual({ text: '"<b>"', ink: 'text-ok' })
    expect(pieces).toContainEqual({ text: '// why', ink: 'text-faint' })
    expect(pieces).toContainEqual({ text: '7', ink: 'text-needs' })
  })

  test('is known by the names and the endings of files that people write', () => {
    for (const name of [
      'tsx',
      'js',
      'json',
      'sh',
      'py',
      'go',
      'rs',
      'java',
      'css',
      'html',
      'sql',
      'yml',
      'diff',
      'c++',
      'rb',
    ])
      expect(codePieces('a', name), name).toBeDefined()
  })

  test.each([
    ['of an unknown language', 'a = 1', 'klingon'],
    ['of 1 MB in one line', 'a '.repeat(500_000), 'js'],
    ['of 100,000 lines', 'a\n'.repeat(100_000), 'js'],
  ])('stays as it is if it is %s', (_, text, language) => {
    expect(codePieces(text, language)).toBeUndefined()
  })

  test('keeps its text in 10,000 pieces, and has no colours after them', () => {
    const text = '1;'.repeat(20_000)
    const pieces = codePieces(text, 'js')
    expect(textOf(pieces)).toBe(text)
    expect(pieces).toHaveLength(10_000)
    expect(pieces?.at(-1)?.ink).toBeUndefined()
  })

  test('of several languages has the colours of each: scripts and styles in markup, and code in Markdown', () => {
    const ink = (text: string, language: string, word: string) =>
      codePieces(text, language)?.find((piece) => piece.text === word)?.ink
    const markup = '<script src="a.js">let once = 1</script><style>a { margin: 7px }</style>'
    expect(ink(markup, 'html', 'script')).toBe('text-accent-text')
    expect(ink(markup, 'html', 'let')).toBe('text-accent-text')
    expect(ink(markup, 'html', '7px')).toBe('text-needs')
    expect(ink('# Title\n\nSee `code`.', 'md', '# Title')).toBe('text-accent-text')
    expect(ink('# Title\n\nSee `code`.', 'md', '`code`')).toBe('text-ok')
  })
})
