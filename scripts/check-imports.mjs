import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findCycles } from './find-cycles.mjs'
import { readImports } from './read-imports.mjs'
import { repositoryRoot } from './repository-root.mjs'

/** From the top down: a layer imports itself and what is below it. */
const layers = ['app', 'surfaces', 'domain', 'runtimes', 'platform']

/** A room imports only rooms on earlier lines. */
const roomLines = [
  ['settings', 'people'],
  ['credentials', 'catalog', 'categories', 'gates'],
  ['sessions'],
  ['logs', 'transcripts', 'costs'],
  ['hierarchy', 'subagents', 'board', 'titles'],
  ['inbox', 'workspaces', 'summaries'],
  ['notifications'],
  ['lifecycle'],
  ['conversation', 'search', 'archive'],
  ['heartbeats', 'turns', 'elicitations', 'accounts'],
  ['triggers', 'backlog', 'outcomes', 'pull-requests'],
  ['maintenance', 'clis'],
]

const rules = {
  1: 'contract imports only zod and itself; web imports only contract of ours',
  2: `imports go down: ${layers.join(' > ')} > contract; main.ts imports app and platform`,
  3: 'a room imports only rooms on earlier lines of the list in scripts/check-imports.mjs',
  4: 'of a room, others see its face, its events.ts and its *-job.ts files; app sees its room.ts too',
  5: 'inside a room, stores call stores and endpoints call operations',
  6: 'no export * and no import cycles',
}

/**
 * @typedef {{ rule: keyof typeof rules, file: string, line: number, specifier: string, reason: string }} Violation
 * @typedef {import('./read-imports.mjs').Import & { file: string, target: string | undefined }} Edge
 */

/**
 * Holds every source file below `root` against the rules. Tests may import what they like and are not looked at.
 *
 * @param {string} root
 * @returns {{ fileCount: number, violations: Violation[] }}
 */
export function checkImports(root) {
  const files = ['contract', 'server', 'web'].flatMap((name) => sourceFiles(root, `packages/${name}/src`))
  const edges = files.flatMap((file) => edgesOf(root, file))
  const violations = [
    ...files.flatMap(misplaced),
    ...edges.flatMap((edge) => [...crossings(edge), ...starExport(edge)]),
    ...cycles(files, edges),
  ]
  return { fileCount: files.length, violations }
}

/** @param {Violation} violation */
export function describeViolation({ rule, file, line, specifier, reason }) {
  const what = specifier === '' ? '' : ` imports '${specifier}'`
  return `${file}:${line}${what}: ${reason}\n  rule ${rule}: ${rules[rule]}`
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function sourceFiles(root, folder) {
  if (!existsSync(`${root}/${folder}`)) return []
  return readdirSync(`${root}/${folder}`, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return sourceFiles(root, path)
      return /\.(ts|tsx|mts|js|mjs)$/.test(entry.name) ? [path] : []
    })
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {Edge[]}
 */
function edgesOf(root, file) {
  return readImports(readFileSync(`${root}/${file}`, 'utf8')).map((found) => ({
    ...found,
    file,
    target: resolve(file, found.specifier),
  }))
}

/**
 * Where an import of ours leads, as a path from the root; undefined for packages of others.
 *
 * @param {string} file
 * @param {string} specifier
 */
function resolve(file, specifier) {
  const own = /^@yardmaster\/([^/]+)(?:\/(.*))?$/.exec(specifier)
  if (own) return `packages/${own[1]}/src/${own[2] ?? 'index'}.ts`
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts')
}

/**
 * @typedef {{ place: string, room?: string, inRoom: string }} Location  `place` is a layer, a package, "main" or ""
 */

/**
 * @param {string} path
 * @returns {Location}
 */
function locate(path) {
  const [, name, inPackage = ''] = /^packages\/([^/]+)\/src\/(.*)$/.exec(path) ?? []
  if (name === 'contract' || name === 'web') return { place: name, inRoom: '' }
  if (name !== 'server') return { place: '', inRoom: '' }
  if (inPackage === 'main.ts') return { place: 'main', inRoom: '' }
  const [layer = '', room = '', ...rest] = inPackage.split('/')
  if (!layers.includes(layer)) return { place: '', inRoom: '' }
  if (layer !== 'domain' || rest.length === 0) return { place: layer, inRoom: '' }
  return { place: layer, room, inRoom: rest.join('/') }
}

/**
 * @param {string} file
 * @returns {Violation[]}
 */
function misplaced(file, index = 0, files = [file]) {
  const { place, room } = locate(file)
  const at = { file, line: 1, specifier: '' }
  if (place === '') return [{ ...at, rule: 2, reason: 'it stands in none of the layers' }]
  if (place !== 'domain' || isHandedToRooms(file)) return []
  if (room === undefined) return [{ ...at, rule: 3, reason: 'it stands in domain/ but in no room' }]
  // Told once for the folder, by its first file.
  const isFirst = index === 0 || locate(files[index - 1] ?? '').room !== room
  return lineOf(room) < 0 && isFirst ? [{ ...at, rule: 3, reason: `the room ${room} is not in the list` }] : []
}

/**
 * @param {Edge} edge
 * @returns {Violation[]}
 */
function crossings(edge) {
  const { file, target, specifier } = edge
  const from = locate(file)
  const at = { file, line: edge.line, specifier }

  if (from.place === 'contract') {
    const isAllowed = target === undefined ? /^zod($|\/)/.test(specifier) : locate(target).place === 'contract'
    return isAllowed ? [] : [{ ...at, rule: 1, reason: 'contract may not import it' }]
  }
  if (target === undefined) return []
  const to = locate(target)
  if (from.place === 'web') {
    const isAllowed = to.place === 'contract' || to.place === 'web'
    return isAllowed ? [] : [{ ...at, rule: 1, reason: 'web may not import it' }]
  }
  if (!goesDown(file, from, to)) {
    return [{ ...at, rule: 2, reason: `${nameOf(file, from)} may not import ${nameOf(target, to)}` }]
  }
  if (from.room !== undefined && from.room === to.room) return insideRoom(edge, from, to)
  return to.room === undefined ? [] : intoRoom(edge, from, to)
}

/**
 * @param {string} file
 * @param {Location} from
 * @param {Location} to
 */
function goesDown(file, from, to) {
  if (from.place === 'main') return to.place === 'app' || to.place === 'platform'
  if (to.place === 'contract') return true
  if (isHandedToRooms(file) && to.place === 'domain') return false
  return layers.includes(to.place) && layers.indexOf(to.place) >= layers.indexOf(from.place)
}

/**
 * What operations are handed: every room sees it, so it can see none of them.
 *
 * @param {string} file
 */
function isHandedToRooms(file) {
  return file === 'packages/server/src/domain/app.ts'
}

/**
 * @param {string} path
 * @param {Location} location
 */
function nameOf(path, { place, room }) {
  if (isHandedToRooms(path)) return 'domain/app.ts'
  return room ?? (place === 'main' ? 'main.ts' : place || path)
}

/**
 * @param {Edge} edge
 * @param {Location} from
 * @param {Location} to
 * @returns {Violation[]}
 */
function intoRoom({ file, line, specifier }, from, { room = '', inRoom }) {
  const at = { file, line, specifier }
  /** @type {Violation[]} */
  const found = []
  if (from.room !== undefined && lineOf(room) >= lineOf(from.room) && lineOf(from.room) >= 0) {
    const how = lineOf(room) === lineOf(from.room) ? 'on the same line as' : 'on a later line than'
    found.push({ ...at, rule: 3, reason: `${room} is ${how} ${from.room}` })
  }
  const isShown = [...facesOf(room), 'events.ts'].includes(inRoom) || inRoom.endsWith('-job.ts')
  if (!isShown && !(from.place === 'app' && inRoom === 'room.ts')) {
    found.push({ ...at, rule: 4, reason: `${room}/${inRoom} is private to its room` })
  }
  return found
}

/**
 * @param {Edge} edge
 * @param {Location} from
 * @param {Location} to
 * @returns {Violation[]}
 */
function insideRoom({ file, line, specifier, isTypeOnly }, from, to) {
  const at = { file, line, specifier }
  if (isStore(from.inRoom) && !isStore(to.inRoom) && (!isTypeOnly || isEndpoint(to.inRoom))) {
    return [{ ...at, rule: 5, reason: 'a store takes only types and other stores from its room' }]
  }
  if (isEndpoint(from.inRoom) && isStore(to.inRoom)) {
    return [{ ...at, rule: 5, reason: 'an endpoint leaves the store to an operation' }]
  }
  return []
}

/**
 * @param {Edge} edge
 * @returns {Violation[]}
 */
function starExport({ file, line, specifier, isStar }) {
  return isStar ? [{ rule: 6, file, line, specifier, reason: 'name what is exported' }] : []
}

/**
 * @param {string[]} files
 * @param {Edge[]} edges
 * @returns {Violation[]}
 */
function cycles(files, edges) {
  /** @type {Map<string, Set<string>>} */
  const graph = new Map(files.map((file) => [file, new Set()]))
  // A type-only import leaves no trace at run time, so it cannot close a cycle there.
  const lasting = edges.filter(({ isTypeOnly }) => !isTypeOnly)
  for (const { file, target } of lasting) if (target !== undefined && graph.has(target)) graph.get(file)?.add(target)

  return findCycles(graph).map((cycle) => {
    const [file = '', next] = cycle
    const first = lasting.find((edge) => edge.file === file && edge.target === next)
    return {
      rule: 6,
      file,
      line: first?.line ?? 1,
      specifier: first?.specifier ?? '',
      reason: `a cycle: ${cycle.join(' > ')}`,
    }
  })
}

/** @param {string} room */
function lineOf(room) {
  return roomLines.findIndex((line) => line.includes(room))
}

/** @param {string} room */
function facesOf(room) {
  const singular = room.replace(/ies$/, 'y').replace(/s$/, '')
  return [`${room}.ts`, `${singular}.ts`]
}

/**
 * `store.ts` or `session-store.ts`; `restore.ts` is an operation.
 *
 * @param {string} inRoom
 */
function isStore(inRoom) {
  return /(^|[-/])store\.ts$/.test(inRoom)
}

/** @param {string} inRoom */
function isEndpoint(inRoom) {
  return /(^|[-/])endpoints?\.ts$/.test(inRoom)
}

function main([root = repositoryRoot] = process.argv.slice(2)) {
  const { fileCount, violations } = checkImports(root)
  for (const violation of violations) console.error(describeViolation(violation))
  console.log(`${fileCount} files, ${violations.length} broken import rules`)
  if (violations.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
