// Reads the imports of a TypeScript file without a parser: a tokenizer that skips comments, strings, templates and
// regular expressions, and the token patterns of an import.

/**
 * @typedef {{ specifier: string, line: number, isTypeOnly: boolean, isStar: boolean }} Import
 * @typedef {{ kind: 'word' | 'text' | 'mark', value: string, line: number }} Token
 */

/**
 * Every `import ... from`, `import '...'`, `export ... from` and `import('...')` in source order.
 * `import { type A } from` is not type-only: under verbatimModuleSyntax the file is still loaded.
 *
 * @param {string} source
 * @returns {Import[]}
 */
export function readImports(source) {
  const tokens = tokenize(source)
  return tokens.flatMap((token, at) => {
    if (token.kind !== 'word' || isMark(tokens[at - 1], '.')) return []
    if (token.value === 'import') return importAt(tokens, at)
    if (token.value === 'export') return exportAt(tokens, at)
    return []
  })
}

/**
 * @param {Token[]} tokens
 * @param {number} at
 * @returns {Import[]}
 */
function importAt(tokens, at) {
  const { line } = /** @type {Token} */ (tokens[at])
  const next = tokens[at + 1]
  if (next?.kind === 'text') return [{ specifier: next.value, line, isTypeOnly: false, isStar: false }]
  if (isMark(next, '(')) {
    const argument = tokens[at + 2]
    return argument?.kind === 'text' ? [{ specifier: argument.value, line, isTypeOnly: false, isStar: false }] : []
  }
  const from = fromClause(tokens, at + 1)
  if (!from) return []

  // `import type from './x.ts'` and `import type, { y } from './x.ts'` bind a value named "type".
  const afterType = tokens[at + 2]
  const namesType = isMark(afterType, ',') || (isWord(afterType, 'from') && tokens[at + 3]?.kind === 'text')
  return [{ specifier: from.value, line, isTypeOnly: isWord(next, 'type') && !namesType, isStar: false }]
}

/**
 * @param {Token[]} tokens
 * @param {number} at
 * @returns {Import[]}
 */
function exportAt(tokens, at) {
  const { line } = /** @type {Token} */ (tokens[at])
  const isTypeOnly = isWord(tokens[at + 1], 'type')
  const clause = at + (isTypeOnly ? 2 : 1)
  if (isMark(tokens[clause], '*')) {
    const from = fromClause(tokens, clause)
    return from ? [{ specifier: from.value, line, isTypeOnly, isStar: true }] : []
  }
  if (!isMark(tokens[clause], '{')) return []

  // `export { a }` may have no `from`: only a `from` directly after the brace belongs to it.
  const closing = tokens.findIndex((token, index) => index > clause && isMark(token, '}'))
  const from = isWord(tokens[closing + 1], 'from') ? tokens[closing + 2] : undefined
  return from?.kind === 'text' ? [{ specifier: from.value, line, isTypeOnly, isStar: false }] : []
}

/**
 * The specifier after `from`, if the tokens before it form an import clause.
 *
 * @param {Token[]} tokens
 * @param {number} start
 */
function fromClause(tokens, start) {
  for (let at = start; at < tokens.length; at++) {
    const token = /** @type {Token} */ (tokens[at])
    if (isWord(token, 'from') && tokens[at + 1]?.kind === 'text') return tokens[at + 1]
    if (token.kind === 'mark' && !['{', '}', ',', '*'].includes(token.value)) return undefined
  }
  return undefined
}

/**
 * @param {Token | undefined} token
 * @param {string} value
 */
function isMark(token, value) {
  return token?.kind === 'mark' && token.value === value
}

/**
 * @param {Token | undefined} token
 * @param {string} value
 */
function isWord(token, value) {
  return token?.kind === 'word' && token.value === value
}

// The gap between two tokens, and the tokens. Strings and expressions end at the end of the line, so that a misread one
// cannot hide the rest of the file.
const gap = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y
const word = /[\p{ID_Continue}$]+/uy
const string = /'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)"/y
const expression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const templatePart = /((?:[^`\\$]|\\[\s\S]|\$(?!\{))*)(`|\$\{)/y

// After these words a slash begins an expression; after any other word it divides.
const beforeExpression = new Set(
  'return typeof case in of delete void throw new else do await yield instanceof'.split(' '),
)

/**
 * @param {string} source
 * @returns {Token[]}
 */
function tokenize(source) {
  /** @type {Token[]} */
  const tokens = []
  // One entry for each open template: the number of open braces in its current substitution.
  /** @type {number[]} */
  const openBraces = []
  let at = 0
  let line = 1

  /** @param {RegExp} pattern */
  const take = (pattern) => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (!found) return undefined
    at = pattern.lastIndex
    return found
  }
  /** @param {string} passed */
  const countLines = (passed) => {
    line += passed.split('\n').length - 1
  }
  /** @param {boolean} isStart */
  const takeTemplatePart = (isStart) => {
    const part = take(templatePart)
    if (!part) {
      at = source.length
      return
    }
    const isWhole = isStart && part[2] === '`'
    if (isWhole) tokens.push({ kind: 'text', value: part[1] ?? '', line })
    else if (part[2] === '`') tokens.push({ kind: 'word', value: '`', line })
    if (part[2] === '${') openBraces.push(0)
    countLines(part[0])
  }

  while (at < source.length) {
    const skipped = take(gap)
    if (skipped) countLines(skipped[0])
    if (at >= source.length) break

    const named = take(word)
    if (named) {
      tokens.push({ kind: 'word', value: named[0], line })
      continue
    }
    const quoted = take(string)
    if (quoted) {
      tokens.push({ kind: 'text', value: quoted[1] ?? quoted[2] ?? '', line })
      countLines(quoted[0])
      continue
    }
    if (source[at] === '/' && canBeginExpression(tokens.at(-1)) && take(expression)) {
      tokens.push({ kind: 'word', value: '//', line })
      continue
    }
    const mark = /** @type {string} */ (source[at])
    at++
    if (mark === '`') {
      takeTemplatePart(true)
      continue
    }
    const depth = openBraces.at(-1)
    if (mark === '}' && depth === 0) {
      openBraces.pop()
      takeTemplatePart(false)
      continue
    }
    if (depth !== undefined && mark === '{') openBraces[openBraces.length - 1] = depth + 1
    if (depth !== undefined && mark === '}') openBraces[openBraces.length - 1] = depth - 1
    tokens.push({ kind: 'mark', value: mark, line })
  }
  return tokens
}

/** @param {Token | undefined} previous */
function canBeginExpression(previous) {
  if (!previous) return true
  if (previous.kind === 'mark') return ![')', ']', '}'].includes(previous.value)
  return previous.kind === 'word' && beforeExpression.has(previous.value)
}
