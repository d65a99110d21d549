import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findCycles } from './find-cycles.mjs'
import { readImports } from './read-imports.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { roomLines } from './rooms.mjs'
import { sourceFiles } from './source-files.mjs'

/** From the top down: a layer imports itself and the layers below it. */
const layers = ['app', 'surfaces', 'domain', 'runtimes', 'platform']

/** The same inside web. */
const webLayers = ['app', 'features', 'shared']

const packages = ['contract', 'client', 'server', 'web', 'cli']

/** The packages of ours that each package besides the server may import, its own files included. */
const packageImports = {
  contract: ['contract'],
  client: ['contract', 'client'],
  web: ['contract', 'client', 'web'],
  cli: ['contract', 'client', 'cli'],
}

const rules = {
  1: 'contract imports only zod and itself; client imports only contract and types of zod, and loads no zod; web and cli import only contract and client of ours, and web loads no zod',
  2: `imports go down: ${layers.join(' > ')} > contract; main.ts imports app and platform`,
  3: 'a room imports only rooms on earlier lines of the list in scripts/rooms.mjs',
  4: 'a room shows other rooms its face, its events.ts and its *-job.ts files; app also sees its room.ts',
  5: 'inside a room, endpoints call operations and stores call only stores',
  6: 'no export * and no import cycles',
  7: `inside web, imports go down: ${webLayers.join(' > ')}`,
}

/**
 * @typedef {{ rule: keyof typeof rules, file: string, line: number, specifier: string, reason: string }} Violation
 * @typedef {import('./read-imports.mjs').Import & { file: string, target: string | undefined }} Edge
 */

/**
 * Checks every source file below `root` against the rules. Tests may import anything and are not checked.
 *
 * @param {string} root
 * @returns {{ fileCount: number, violations: Violation[] }}
 */
export function checkImports(root) {
  const files = packages.flatMap((name) => sourceFiles(root, `packages/${name}/src`))
  const edges = files.flatMap((file) => edgesOf(root, file))
  const zodFiles = filesLoadingZod(edges)
  const violations = [
    ...files.flatMap(misplaced),
    ...edges.flatMap((edge) => [...crossings(edge, zodFiles), ...starExport(edge)]),
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
 * The files of contract that load zod at run time, directly or through another file.
 *
 * @param {Edge[]} edges
 */
function filesLoadingZod(edges) {
  const loaded = edges.filter(({ file, isTypeOnly }) => !isTypeOnly && locate(file).place === 'contract')
  const found = new Set(loaded.filter(({ specifier }) => isZod(specifier)).map(({ file }) => file))
  // A set visits the entries that are added during the loop, so this reaches every importer.
  for (const zodFile of found) for (const { file, target } of loaded) if (target === zodFile) found.add(file)
  return found
}

/** @param {string} specifier */
function isZod(specifier) {
  return /^zod($|\/)/.test(specifier)
}

/**
 * The file that an import of ours resolves to, as a path from the root; undefined for third-party packages.
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
  if (name !== undefined && name in packageImports) return { place: name, inRoom: '' }
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
  if (place === '') return [{ ...at, rule: 2, reason: 'the file is in none of the layers' }]
  if (place !== 'domain' || isSharedByRooms(file)) return []
  if (room === undefined) return [{ ...at, rule: 3, reason: 'the file is in domain/ but in no room' }]
  // Reported once for the folder, at its first file.
  const isFirst = index === 0 || locate(files[index - 1] ?? '').room !== room
  return lineOf(room) < 0 && isFirst ? [{ ...at, rule: 3, reason: `the room ${room} is not in the list` }] : []
}

/**
 * @param {Edge} edge
 * @param {Set<string>} zodFiles
 * @returns {Violation[]}
 */
function crossings(edge, zodFiles) {
  const { file, target, specifier } = edge
  const from = locate(file)
  const at = { file, line: edge.line, specifier }

  if (from.place in packageImports) {
    if (!maySee(edge, zodFiles)) return [{ ...at, rule: 1, reason: `${from.place} may not import it` }]
    const [layer, targetLayer] = [file, target ?? file].map(webLayerOf)
    const goesUp =
      layer !== undefined && targetLayer !== undefined && webLayers.indexOf(targetLayer) < webLayers.indexOf(layer)
    return goesUp ? [{ ...at, rule: 7, reason: `${layer} may not import ${targetLayer}` }] : []
  }
  if (target === undefined) return []
  const to = locate(target)
  if (!goesDown(file, from, to)) {
    return [{ ...at, rule: 2, reason: `${nameOf(file, from)} may not import ${nameOf(target, to)}` }]
  }
  if (from.room !== undefined && from.room === to.room) return insideRoom(edge, from, to)
  return to.room === undefined ? [] : intoRoom(edge, from, to)
}

/**
 * Whether a package other than the server may have this import.
 *
 * @param {Edge} edge
 * @param {Set<string>} zodFiles
 */
function maySee({ file, target, specifier, isTypeOnly }, zodFiles) {
  const from = /** @type {keyof typeof packageImports} */ (locate(file).place)
  if (target === undefined) {
    // These run in a browser: contract loads zod and nothing else, client loads no package at all, web loads no zod.
    if (from === 'contract') return isZod(specifier)
    if (from === 'web') return isTypeOnly || !isZod(specifier)
    return from !== 'client' || (isTypeOnly && isZod(specifier))
  }
  if (!packageImports[from].includes(locate(target).place)) return false
  return (from !== 'client' && from !== 'web') || isTypeOnly || !zodFiles.has(target)
}

/** @param {string} file */
function webLayerOf(file) {
  const [, layer] = /^packages\/web\/src\/([^/]+)\//.exec(file) ?? []
  return layer !== undefined && webLayers.includes(layer) ? layer : undefined
}

/**
 * @param {string} file
 * @param {Location} from
 * @param {Location} to
 */
function goesDown(file, from, to) {
  if (from.place === 'main') return to.place === 'app' || to.place === 'platform'
  if (to.place === 'contract') return true
  if (isSharedByRooms(file) && to.room !== undefined) return false
  return layers.includes(to.place) && layers.indexOf(to.place) >= layers.indexOf(from.place)
}

const sharedByRooms = ['packages/server/src/domain/app.ts', 'packages/server/src/domain/tool.ts']

/**
 * The files beside the rooms: the App type that every operation receives, and the furniture of a room. Every room imports
 * them, so they can import no room.
 *
 * @param {string} file
 */
function isSharedByRooms(file) {
  return sharedByRooms.includes(file)
}

/**
 * @param {string} path
 * @param {Location} location
 */
function nameOf(path, { place, room }) {
  if (isSharedByRooms(path)) return path.replace('packages/server/src/', '')
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
  const isVisible = [...facesOf(room), 'events.ts'].includes(inRoom) || inRoom.endsWith('-job.ts')
  if (!isVisible && !(from.place === 'app' && inRoom === 'room.ts')) {
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
    return [{ ...at, rule: 5, reason: 'a store imports only types and other stores from its room' }]
  }
  if (isEndpoint(from.inRoom) && isStore(to.inRoom)) {
    return [{ ...at, rule: 5, reason: 'an endpoint calls an operation, which calls the store' }]
  }
  return []
}

/**
 * @param {Edge} edge
 * @returns {Violation[]}
 */
function starExport({ file, line, specifier, isStar }) {
  return isStar ? [{ rule: 6, file, line, specifier, reason: 'list the exported names' }] : []
}

/**
 * @param {string[]} files
 * @param {Edge[]} edges
 * @returns {Violation[]}
 */
function cycles(files, edges) {
  /** @type {Map<string, Set<string>>} */
  const graph = new Map(files.map((file) => [file, new Set()]))
  // The compiler removes type-only imports, so they close no cycle at run time.
  const runtimeEdges = edges.filter(({ isTypeOnly }) => !isTypeOnly)
  for (const { file, target } of runtimeEdges)
    if (target !== undefined && graph.has(target)) graph.get(file)?.add(target)

  return findCycles(graph).map((cycle) => {
    const [file = '', next] = cycle
    const first = runtimeEdges.find((edge) => edge.file === file && edge.target === next)
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
