import { exampleText } from './example-text.ts'
import { compileFinder } from './finder.ts'
import type { Rule } from './rule.ts'

/** The limit for any text of up to 50 KB. */
const budgetMs = 50
const wholeLength = 50_000

/**
 * Why a rule is too slow, or undefined. Tests it on strings that are hard for it, short ones first: catastrophic
 * backtracking shows at a few dozen characters, long before it would hang.
 */
export function slownessOf(rule: Rule): string | undefined {
  const finder = compileFinder([rule], [])
  for (const length of lengths()) {
    for (const text of hardStrings(rule, length)) {
      const tookMs = leastMs(() => finder.find(text, []))
      if (tookMs > budgetMs) return `takes ${Math.round(tookMs)} ms for ${length} characters`
    }
  }
  return undefined
}

/**
 * Strings that are hard for a pattern: its keywords repeated, and its example with each character in turn repeated and
 * without what would complete the match.
 */
export function hardStrings(rule: Rule, length: number): string[] {
  const example = exampleText(rule.example)
  const lower = example.toLowerCase()
  const keyword = rule.keywords.find((word) => lower.includes(word.toLowerCase())) ?? rule.keywords[0] ?? ''
  const from = Math.max(0, lower.indexOf(keyword.toLowerCase()))
  const step = Math.max(1, Math.ceil((example.length - from) / 24))
  const places = Array.from({ length: Math.ceil((example.length - from) / step) }, (_, index) => from + index * step)
  return [
    ...rule.keywords
      .slice(0, 2)
      .flatMap((word) => [word, `${word}=`, `${word} `, ` ${word}:`, `${word}a1-`])
      .map((word) => fill(word, length)),
    fill(`${example} `, length),
    fill(example.slice(0, -1), length),
    fill(`${example.slice(from, from + keyword.length + 12)}\u0001`, length),
    ...places.map((at) => `${example.slice(0, at)}${fill(example[at] ?? 'a', length)}\u0001`),
    ...places.slice(0, 8).map((at) => fill(`${example.slice(from, at)}${fill(example[at] ?? 'a', 300)}\u0001`, length)),
  ]
}

function* lengths(): Generator<number> {
  for (let length = 8; length < 64; length += 4) yield length
  yield 1_000
  yield wholeLength
}

function fill(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / Math.max(1, piece.length))).slice(0, length)
}

/**
 * Measures CPU time, so that other load does not count. The minimum of three runs, unless one run is clearly good or
 * clearly bad.
 */
function leastMs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
    if (least <= budgetMs || least > 20 * budgetMs) break
  }
  return least
}
