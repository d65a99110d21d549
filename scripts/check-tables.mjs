import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { repositoryRoot } from './repository-root.mjs'
import { sourceFiles } from './source-files.mjs'

const source = 'packages/server/src'

const rules = {
  7: 'a room writes only the tables that its own files add to `Tables`; other rooms call an operation of the owner',
  8: 'the sessions room exports operations named after what they mean; no generic updateSession leaves it',
  9: 'SQL on the metadata of sessions is in sessions/metadata-store.ts; queries use hasMetadata and metadataText',
  10: 'migrations are numbered without gaps, and no two have the same number',
}

/**
 * @typedef {{ rule: keyof typeof rules, file: string, line: number, table: string, reason: string }} TableViolation
 */

/**
 * Checks that each table has one owner that writes it. The owner is the room, or the folder of platform/, whose file
 * declares the table in `interface Tables`. Reads may join any table.
 *
 * @param {string} root
 * @returns {TableViolation[]}
 */
export function checkTables(root) {
  const files = sourceFiles(root, source).map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
  const owners = new Map(files.flatMap(({ path, text }) => declaredTables(text).map((table) => [table, ownerOf(path)])))
  /** @type {TableViolation[]} */
  const crossing = files.flatMap(({ path: file, text }) =>
    writesIn(text, owners)
      .filter(({ table }) => owners.get(table) !== ownerOf(file))
      .map((write) => ({ ...write, rule: 7, file, reason: `${write.table} belongs to ${owners.get(write.table)}` })),
  )
  return [...crossing, ...exportedUpdateSession(root), ...files.flatMap(metadataKeysIn), ...misnumbered(root)]
}

/** @param {TableViolation} violation */
export function describeTableViolation({ rule, file, line, table, reason }) {
  const what = {
    7: `writes '${table}'`,
    8: "exports 'updateSession'",
    9: "names a key of 'metadata'",
    10: 'is numbered',
  }[rule]
  return `${file}:${line} ${what}: ${reason}\n  rule ${rule}: ${rules[rule]}`
}

/**
 * The names at the top level of every `interface Tables { ... }`.
 *
 * @param {string} text
 */
function declaredTables(text) {
  return [...text.matchAll(/\binterface Tables \{/g)].flatMap(({ index }) => {
    const names = []
    let depth = 0
    for (const [token] of text.slice(index).matchAll(/[{}]|[\w$]+(?=\??:)/g)) {
      if (token === '{') depth += 1
      else if (token === '}') depth -= 1
      else if (depth === 1) names.push(token)
      if (depth === 0) break
    }
    return names
  })
}

/**
 * `domain/board` for domain/board/..., `platform/jobs` for platform/jobs/...
 *
 * @param {string} path
 */
function ownerOf(path) {
  return path
    .slice(source.length + 1)
    .split('/')
    .slice(0, 2)
    .join('/')
}

/**
 * Writes by the query builder and in SQL text. A word after `update` counts only when it is a table, so `for update of`
 * and `do update set` do not.
 *
 * @param {string} text
 * @param {Map<string, string>} tables
 */
function writesIn(text, tables) {
  const builder = /\b(?:insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\(\s*'(\w+)/g
  const statement = /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?(\w+)/gi
  const code = withoutComments(text)
  return [builder, statement]
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .filter(([, table = '']) => tables.has(table))
    .map(({ 1: table = '', index }) => ({ table, line: code.slice(0, index).split('\n').length }))
    .sort((one, other) => one.line - other.line)
}

/**
 * Blanks comment lines: prose may say "update sessions" too. The line count stays the same.
 *
 * @param {string} text
 */
function withoutComments(text) {
  return text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
}

/**
 * @param {string} root
 * @returns {TableViolation[]}
 */
function exportedUpdateSession(root) {
  return ['session.ts', 'sessions.ts'].flatMap((name) => {
    const file = `${source}/domain/sessions/${name}`
    if (!existsSync(`${root}/${file}`)) return []
    const code = withoutComments(readFileSync(`${root}/${file}`, 'utf8'))
    const found = /\bexport\b(?:[^;]*?\{[^}]*|[^\n{]*)\bupdateSession\b/.exec(code)
    if (!found) return []
    const line = code.slice(0, found.index + found[0].length).split('\n').length
    return [{ rule: 8, file, line, table: '', reason: 'name the operation after what it does' }]
  })
}

/**
 * @param {{ path: string, text: string }} file
 * @returns {TableViolation[]}
 */
function metadataKeysIn({ path: file, text }) {
  if (file === `${source}/domain/sessions/metadata-store.ts`) return []
  const code = withoutComments(text)
  return [
    ...code.matchAll(
      /\bmetadata\s*(?:(?:->>?|#>>?)\s*['$]|\?[|&]?\s*['$]|\|\|\s*(?:jsonb|\$))|jsonb_set\(\s*(?:sessions\.)?metadata\b/g,
    ),
  ].map(({ index }) => {
    const line = code.slice(0, index).split('\n').length
    return { rule: 9, file, line, table: 'sessions', reason: 'the schema types the keys' }
  })
}

/**
 * Two changes that land one after the other may have taken the same number, and no host would start.
 *
 * @param {string} root
 * @returns {TableViolation[]}
 */
function misnumbered(root) {
  const folder = `${source}/platform/db/migrations`
  const names = existsSync(`${root}/${folder}`) ? readdirSync(`${root}/${folder}`) : []
  return names
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .flatMap((name, index) => {
      const expected = String(index + 1).padStart(4, '0')
      if (name.startsWith(`${expected}_`)) return []
      return [{ rule: 10, file: `${folder}/${name}`, line: 1, table: '', reason: `it should be number ${expected}` }]
    })
}

function main([root = repositoryRoot] = process.argv.slice(2)) {
  const violations = checkTables(root)
  for (const violation of violations) console.error(describeTableViolation(violation))
  console.log(`${violations.length} broken table rules`)
  if (violations.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
