import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isInside, PathRefused, resolveInside } from '../../../platform/contained-path.ts'
import { type HookEvent, hookEvents } from '../../../runtimes/equipment.ts'
import { HookFile, PluginManifest } from './entries.ts'
import type { Found } from './find-entries.ts'
import { parseEntry } from './parse-entry.ts'
import { type CatalogFolder, labelOf, mark, type Reading, readBytes, readJsonObject, sentenceAbout } from './reading.ts'

/** Size limits of a skill or hook folder: generous, but small enough to copy for every session. */
const maxFiles = 500
const maxFolderBytes = 10 * 1024 * 1024
const maxReferenceBytes = 1024 * 1024

/** The folder of a skill. It must contain a `SKILL.md`. */
export async function readSkillFolder(reading: Reading, found: Found<'skills'>): Promise<string | undefined> {
  const folder = await findFolder(reading, found, found.entry.path)
  if (folder === undefined || !(await holds(reading, found, folder, 'SKILL.md'))) return undefined
  return (await readFolder(reading, found, folder)) ? folder : undefined
}

export type HookBody = {
  folder: string
  event: HookEvent | undefined
  command: string
  args: string[]
  env: Record<string, string>
  timeoutSeconds: number | undefined
  matcher: string | undefined
}

/** The folder of a hook and its parsed `HOOK.json`. */
export async function readHook(reading: Reading, found: Found<'hooks'>): Promise<HookBody | undefined> {
  const folder = await findFolder(reading, found, found.entry.path)
  if (folder === undefined || !(await holds(reading, found, folder, 'HOOK.json'))) return undefined
  if (!(await readFolder(reading, found, folder))) return undefined
  const path = await realpath(join(folder, 'HOOK.json'))
  const json = await readJsonObject(reading, found.folder, path)
  const file = labelOf(found.folder, path)
  const hook = json && parseEntry(reading, HookFile, json, { file, key: '' })
  if (!hook) return undefined
  const event = hookEvents.find((known) => known === hook.event)
  if (event === undefined) {
    reading.warnings.push(sentenceAbout(file, 'event', `is not one of ${hookEvents.join(', ')}; the hook is left out`))
  }
  return {
    folder,
    event,
    command: hook.command,
    args: hook.args ?? [],
    env: hook.env ?? {},
    timeoutSeconds: hook.timeout_seconds,
    matcher: hook.matcher,
  }
}

/** The entry of a plugin, completed from the manifest in its folder, if any. */
export async function readPlugin(reading: Reading, found: Found<'plugins'>): Promise<Found<'plugins'>['entry']> {
  const { entry } = found
  if (entry.path === undefined) return entry
  const folder = await findFolder(reading, found, entry.path)
  if (folder === undefined || !(await holds(reading, found, folder, '.plugin/plugin.json'))) return entry
  const path = await realpath(join(folder, '.plugin/plugin.json'))
  const json = await readJsonObject(reading, found.folder, path)
  const at = { file: labelOf(found.folder, path), key: '' }
  const { name: _, ...manifest } = (json && parseEntry(reading, PluginManifest, json, at)) ?? {}
  return { ...manifest, ...entry }
}

export async function readReference(reading: Reading, found: Found<'references'>): Promise<string | undefined> {
  const key = found.entry.path === undefined && found.entry.file !== undefined ? 'file' : 'path'
  const given = found.entry[key]
  const problem = (text: string): undefined => {
    reading.problems.push(sentenceAbout(found.file, `${found.id}.${key}`, text))
  }
  if (given === undefined) return problem('is required')
  const path = await findBody(reading, found, given, key)
  if (path === undefined) return undefined
  const label = labelOf(found.folder, path)
  const content = await readBytes(reading, path, { label, maxBytes: maxReferenceBytes })
  return typeof content === 'string' ? problem(`${given} ${content}`) : path
}

async function findFolder(
  reading: Reading,
  found: Found<'skills' | 'hooks' | 'plugins'>,
  given: string,
): Promise<string | undefined> {
  const path = await findBody(reading, found, given, 'path')
  if (path === undefined || (await stat(path)).isDirectory()) return path
  reading.problems.push(sentenceAbout(found.file, `${found.id}.path`, `${given} is not a folder`))
  return undefined
}

/** Relative to the index file, or else to the catalog's folder: existing catalogs use both. */
async function findBody(reading: Reading, found: Found, given: string, key: string): Promise<string | undefined> {
  const { folder, indexFile } = found
  const ways = [join(relative(folder.path, dirname(indexFile)), given), given]
  let refused: PathRefused | undefined
  for (const way of ways) {
    try {
      // Check the path as written too: joining removes `..`.
      return await resolveInside(folder.path, given.split(/[/\\]/).includes('..') ? given : way)
    } catch (error) {
      if (!(error instanceof PathRefused)) throw error
      refused ??= error
      if (error.problem === 'missing') await mark(reading, join(folder.path, way))
    }
  }
  const text =
    refused?.problem === 'missing' ? `${JSON.stringify(given.slice(0, 200))} does not exist` : refused?.message
  reading.problems.push(sentenceAbout(found.file, `${found.id}.${key}`, text ?? 'cannot be found'))
  return undefined
}

async function holds(reading: Reading, found: Found, folder: string, name: string): Promise<boolean> {
  const path = join(folder, name)
  await mark(reading, path)
  const real = await realpath(path).catch(() => undefined)
  const isThere = real !== undefined && isInside(found.folder.path, real) && (await stat(real)).isFile()
  if (!isThere) {
    reading.problems.push(sentenceAbout(found.file, `${found.id}.path`, `${labelOf(found.folder, path)} is missing`))
  }
  return isThere
}

/** Adds all files to the version. Returns false and records a problem if a file cannot be copied. */
async function readFolder(reading: Reading, found: Found, folder: string): Promise<boolean> {
  const rest = { files: maxFiles, bytes: maxFolderBytes }
  const problem = await problemWithin(reading, found.folder, folder, rest)
  if (problem === undefined) return true
  reading.problems.push(sentenceAbout(found.file, `${found.id}.path`, problem))
  return false
}

async function problemWithin(
  reading: Reading,
  catalog: CatalogFolder,
  folder: string,
  rest: { files: number; bytes: number },
): Promise<string | undefined> {
  await mark(reading, folder)
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    const label = labelOf(catalog, path)
    rest.files -= 1
    if (rest.files < 0) return `${basename(folder)} holds more than ${maxFiles} files`
    if (entry.isSymbolicLink()) {
      const target = await realpath(path).catch(() => undefined)
      if (target === undefined) return `${label} is a link that leads nowhere`
      if (!isInside(catalog.path, target)) return `${label} is a link that leads out of the catalog`
      reading.digests.set(label, `-> ${relative(catalog.path, target)}`)
    } else if (entry.isDirectory()) {
      const problem = await problemWithin(reading, catalog, path, rest)
      if (problem !== undefined) return problem
    } else {
      rest.bytes -= (await stat(path)).size
      if (rest.bytes < 0) return `its folder holds more than ${maxFolderBytes / 1024 / 1024} MB`
      const content = await readBytes(reading, path, { label, maxBytes: maxFolderBytes })
      if (typeof content === 'string') return `${label} ${content}`
    }
  }
  return undefined
}
