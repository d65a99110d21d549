import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { webDist } from './web-build.mjs'

/** kB gzip. The first load is the shell and the board; the session page is what it needs on top. */
const budgets = [
  { name: 'first load, JS', limit: 140, of: 'src/features/board/board-page.tsx', kind: 'js' },
  { name: 'first load, CSS', limit: 12, of: 'src/features/board/board-page.tsx', kind: 'css' },
  {
    name: 'session page on top, JS',
    limit: 40,
    of: 'src/features/sessions/session-page.tsx',
    kind: 'js',
    isOnTop: true,
  },
]

/** Prints the sizes of the built pages and answers whether they are within their budgets. */
export function keepsSizes(isQuiet = true) {
  /** @type {Record<string, { file: string, css?: string[], imports?: string[] }>} */
  const manifest = JSON.parse(readFileSync(`${webDist}/manifest.json`, 'utf8'))
  const shell = filesOf(manifest, 'index.html')
  let areKept = true
  for (const { name, limit, of, kind, isOnTop = false } of budgets) {
    const page = filesOf(manifest, of)
    const before = isOnTop ? new Set([...shell, ...filesOf(manifest, 'src/features/board/board-page.tsx')]) : new Set()
    const files = [...new Set([...(isOnTop ? [] : shell), ...page])].filter(
      (file) => file.endsWith(`.${kind}`) && !before.has(file),
    )
    const kB = files.reduce((sum, file) => sum + gzipSync(readFileSync(`${webDist}/${file}`)).length, 0) / 1000
    if (!isQuiet || kB > limit) console.error(`${name}: ${kB.toFixed(1)} of ${limit} kB gzip`)
    areKept &&= kB <= limit
  }
  return areKept
}

/**
 * The files that a module needs before it runs.
 *
 * @param {Record<string, { file: string, css?: string[], imports?: string[] }>} manifest
 * @param {string} name
 */
function filesOf(manifest, name) {
  const names = new Set([name])
  /** @type {string[]} */
  const files = []
  // A set visits the entries that are added during the loop, so this reaches every import.
  for (const each of names) {
    const chunk = manifest[each]
    if (!chunk) throw new Error(`the build has no ${each}`)
    files.push(chunk.file, ...(chunk.css ?? []))
    for (const imported of chunk.imports ?? []) names.add(imported)
  }
  return files
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = keepsSizes(false) ? 0 : 1
