import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { z } from 'zod'
import { isInside } from '../../../platform/contained-path.ts'
import { errnoOf } from '../../../platform/process/errno.ts'
import { type EntryOf, type Kind, kindNames, kinds } from './kinds.ts'
import { type Place, parseEntry } from './parse-entry.ts'
import {
  type CatalogFolder,
  findInside,
  labelOf,
  mark,
  type Reading,
  readJsonObject,
  sentenceAbout,
} from './reading.ts'

/** One entry of one index file. */
export type Found<K extends Kind = Kind> = {
  kind: K
  scope: string
  id: string
  entry: EntryOf<K>
  folder: CatalogFolder
  /** The index file's real path and its name in messages. */
  indexFile: string
  file: string
}

export type Entries = {
  name: string
  description: string | undefined
  found: Found[]
  /** Qualified ids of excluded entries, by kind. References to them are dropped. */
  excluded: Set<string>
}

const paths = z.array(z.string().trim().min(1)).max(1000)
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,100}$/, 'must be of letters, digits, hyphens and underscores')
const perKind = Object.fromEntries(kindNames.map((kind) => [kind, paths.optional()])) as Record<
  Kind,
  z.ZodOptional<typeof paths>
> // made from the list of kinds

const AirFile = z.object({
  name,
  description: z.string().max(10_000).optional(),
  ...perKind,
  catalogs: paths.optional(),
  exclude: z.object(perKind).optional(),
  // For the program that downloads remote catalogs; unused here.
  extensions: z.unknown().optional(),
  gitProtocol: z.unknown().optional(),
})

/** Ids become folder names and server names. */
const idPattern = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$/
/** The scope of the main catalog. */
const ownScope = 'local'
const maxCatalogs = 50

/** All entries of the catalog and of the catalogs it composes. Nothing overrides anything. */
export async function findEntries(reading: Reading, airFile: string): Promise<Entries> {
  const folder = { path: dirname(airFile), scope: ownScope, isTop: true, prefix: '' }
  const composing: Composing = { reading, seen: new Set(), excluded: new Set() }
  const { name, description, found } = await readCatalog(composing, folder, basename(airFile))
  return { name, description, found: withoutDuplicates(reading, found), excluded: composing.excluded }
}

type Composing = { reading: Reading; seen: Set<string>; excluded: Set<string> }
type ReadCatalog = { name: string; description: string | undefined; found: Found[] }

async function readCatalog(composing: Composing, folder: CatalogFolder, airFile: string): Promise<ReadCatalog> {
  const { reading } = composing
  composing.seen.add(folder.path)
  const nothing = { name: folder.scope, description: undefined, found: [] }
  const path = await findInside(reading, folder, airFile, { file: airFile, key: '' })
  const json = path === undefined ? undefined : await readJsonObject(reading, folder, path)
  if (path === undefined || json === undefined) return nothing
  const file = labelOf(folder, path)
  const air = parseEntry(reading, AirFile, json, { file, key: '' })
  if (!air) return nothing
  if (!folder.isTop && air.name === ownScope) {
    reading.problems.push(sentenceAbout(file, 'name', `a composed catalog cannot be named ${ownScope}`))
    return nothing
  }
  const named = folder.isTop ? folder : { ...folder, scope: air.name }
  const found: Found[] = []
  for (const kind of kindNames) {
    for (const [index, given] of (air[kind] ?? []).entries()) {
      found.push(...(await readIndex(reading, named, kind, given, { file, key: `${kind}[${index}]` })))
    }
  }
  for (const [index, given] of (air.catalogs ?? []).entries()) {
    found.push(...(await readComposed(composing, named, given, { file, key: `catalogs[${index}]` })))
  }
  return { name: air.name, description: air.description, found: withoutExcluded(composing, found, air.exclude, file) }
}

async function readComposed(composing: Composing, from: CatalogFolder, given: string, at: Place): Promise<Found[]> {
  const { reading, seen } = composing
  const problem = (text: string): Found[] => {
    reading.problems.push(sentenceAbout(at.file, at.key, text))
    return []
  }
  if (isProviderAddress(given)) return problem(providerSentence)
  const place = await findCatalog(reading, from, given, at)
  if (place === undefined) return []
  const isFile = (await stat(place)).isFile()
  const path = isFile ? dirname(place) : place
  const prefix = `${isInside(from.path, path) ? labelOf(from, path) : path}/`
  const folder = { path, scope: basename(path), isTop: false, prefix }
  if (seen.has(folder.path)) return problem('is composed already; a catalog is composed once, and not of itself')
  if (seen.size >= maxCatalogs) return problem(`is more than the ${maxCatalogs} catalogs that one is composed of`)
  return (await readCatalog(composing, folder, isFile ? basename(place) : 'air.json')).found
}

/**
 * Only the main catalog may name a folder elsewhere on the machine, by an absolute path. A composed catalog stays inside its
 * own folder.
 */
async function findCatalog(
  reading: Reading,
  from: CatalogFolder,
  given: string,
  at: Place,
): Promise<string | undefined> {
  if (!from.isTop || !isAbsolute(given)) return findInside(reading, from, given, at)
  try {
    return await realpath(given)
  } catch (error) {
    await mark(reading, given)
    reading.problems.push(sentenceAbout(at.file, at.key, `${given} cannot be read (${errnoOf(error)})`))
    return undefined
  }
}

/** A directory means the index file of that name in it: `skills` for `skills/skills.json`. */
async function readIndex(
  reading: Reading,
  folder: CatalogFolder,
  kind: Kind,
  given: string,
  at: Place,
): Promise<Found[]> {
  if (isProviderAddress(given)) {
    reading.problems.push(sentenceAbout(at.file, at.key, providerSentence))
    return []
  }
  const place = await findInside(reading, folder, given, at)
  if (place === undefined) return []
  const isDirectory = (await stat(place)).isDirectory()
  const indexFile = isDirectory
    ? await findInside(reading, folder, join(relative(folder.path, place), `${kind}.json`), at)
    : place
  const json = indexFile === undefined ? undefined : await readJsonObject(reading, folder, indexFile)
  if (indexFile === undefined || json === undefined) return []
  const file = labelOf(folder, indexFile)
  return Object.entries(kind === 'goals' ? goalsOf(json) : json)
    .filter(([id]) => id !== '$schema')
    .flatMap(([id, value]) => {
      const entry = readEntry(reading, kind, id, value, file)
      return entry === undefined ? [] : [{ kind, scope: folder.scope, id, entry, folder, indexFile, file }]
    })
}

/** Goals are nested one level: `{"goals": {"<id>": ...}}`. */
function goalsOf(json: Record<string, unknown>): Record<string, unknown> {
  const { goals } = json
  return typeof goals === 'object' && goals !== null ? (goals as Record<string, unknown>) : json // parsed JSON
}

function readEntry<K extends Kind>(
  reading: Reading,
  kind: K,
  id: string,
  value: unknown,
  file: string,
): EntryOf<K> | undefined {
  if (!idPattern.test(id)) {
    const text =
      'is not a valid id: a letter or digit, then letters, digits, hyphens, underscores and dots, up to 100 characters'
    reading.problems.push(sentenceAbout(file, JSON.stringify(id.slice(0, 120)), text))
    return undefined
  }
  // The table holds the schema of each kind's entries.
  return parseEntry(reading, kinds[kind].entry as unknown as z.ZodType<EntryOf<K>>, value, { file, key: id })
}

function isProviderAddress(given: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(given)
}

const providerSentence =
  'is an address elsewhere, and only local paths are read; fetch it into a folder of the catalog and name that'

export function qualifiedId({ scope, id }: { scope: string; id: string }): string {
  return `@${scope}/${id}`
}

/** Removes the entries that a catalog excludes, from itself and from the catalogs it composes. */
function withoutExcluded(
  { reading, excluded }: Composing,
  found: readonly Found[],
  exclude: Partial<Record<Kind, string[]>> | undefined,
  file: string,
): Found[] {
  if (exclude === undefined) return [...found]
  const unused = new Map(kindNames.flatMap((kind) => (exclude[kind] ?? []).map((name) => [`${kind} ${name}`, kind])))
  const kept = found.filter((each) => {
    const matching = [each.id, qualifiedId(each)].filter((name) => exclude[each.kind]?.includes(name))
    for (const name of matching) unused.delete(`${each.kind} ${name}`)
    if (matching.length > 0) excluded.add(`${each.kind} ${qualifiedId(each)}`)
    return matching.length === 0
  })
  for (const [key, kind] of unused) {
    reading.warnings.push(sentenceAbout(file, `exclude.${kind}`, `"${key.slice(kind.length + 1)}" matches no entry`))
  }
  return kept
}

function withoutDuplicates(reading: Reading, found: readonly Found[]): Found[] {
  const first = new Map<string, Found>()
  for (const each of found) {
    const key = `${each.kind} ${qualifiedId(each)}`
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, each)
    else {
      const text = `${qualifiedId(each)} is in ${earlier.file} already; nothing overrides another entry (see exclude)`
      reading.problems.push(sentenceAbout(each.file, each.id, text))
    }
  }
  return [...first.values()]
}
