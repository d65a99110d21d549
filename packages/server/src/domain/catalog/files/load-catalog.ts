import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readProblem } from '../../../platform/files/json-file.ts'
import {
  type CatalogHook,
  type CatalogSkill,
  type CatalogTree,
  type DeclaredServer,
  type Goal,
  type Plugin,
  type Root,
  shelf,
} from '../tree.ts'
import { folderPlaceholder, homePlaceholder } from './entries.ts'
import { expandPlugins } from './expand-plugins.ts'
import { type Found, findEntries } from './find-entries.ts'
import { type Names, nameEverything } from './names.ts'
import { readHook, readPlugin, readReference, readSkillFolder } from './read-body.ts'
import { mark, type Reading, sentenceAbout } from './reading.ts'
import { rootDefaults } from './root-defaults.ts'

/** Reads the whole catalog. Returns undefined if there is any problem; the reading records the problems. */
export async function loadCatalog(
  reading: Reading,
  path: string,
  { home }: { home: string },
): Promise<CatalogTree | undefined> {
  const airFile = await findAirFile(reading, path)
  if (airFile === undefined) return undefined
  const entries = await findEntries(reading, airFile)
  const names = nameEverything(reading, entries)
  const tree = {
    name: entries.name,
    description: entries.description ?? null,
    roots: shelf(linkRoots(names, home)),
    mcpServers: shelf(names.of('mcp').map((found) => linkServer(names, found))),
    skills: shelf(await linkSkills(reading, names)),
    hooks: shelf(await linkHooks(reading, names)),
    plugins: shelf(await linkPlugins(reading, names)),
    goals: shelf(names.of('goals').map((found) => linkGoal(names, found))),
  }
  if (reading.problems.length > 0) return undefined
  return deepFreeze({ ...tree, version: versionOf(reading), warnings: [...reading.warnings] })
}

/** A folder means the `air.json` in it. The given path is watched too, so that a swapped folder is detected. */
async function findAirFile(reading: Reading, path: string): Promise<string | undefined> {
  await mark(reading, path)
  try {
    const file = (await stat(path)).isDirectory() ? join(path, 'air.json') : path
    await mark(reading, dirname(file))
    await mark(reading, file)
    return await realpath(file)
  } catch (error) {
    reading.problems.push(sentenceAbout(path, '', readProblem(error)))
    return undefined
  }
}

function describe(names: Names, found: Found, texts: { title?: string | undefined; description?: string | undefined }) {
  const identity = names.identify(found)
  return { ...identity, title: texts.title ?? identity.name, description: texts.description ?? '' }
}

function linkRoots(names: Names, home: string): Root[] {
  return [...rootDefaults(names)].map(([found, defaults]) => {
    const { entry } = found
    return {
      ...describe(names, found, { title: entry.display_name, description: entry.description }),
      url: entry.url?.replace(homePlaceholder, () => home) ?? null,
      defaultBranch: entry.default_branch ?? 'main',
      subdirectory: entry.subdirectory ?? null,
      isUserInvocable: entry.user_invocable ?? true,
      usesRepositoryConfiguration: entry.use_repository_configuration ?? false,
      defaultGoal: entry.default_goal?.trim() ? entry.default_goal : null,
      defaultModel: entry.default_model ?? null,
      defaultRuntime: entry.default_runtime ?? null,
      defaultMcpServers: defaults.mcp,
      defaultSkills: defaults.skills,
      defaultHooks: defaults.hooks,
      defaultPlugins: defaults.plugins,
      defaultSubagentRoots: defaults.roots,
      allowsAgents: entry.allow_agents ?? [],
      permissions: entry.permissions ?? null,
    }
  })
}

function linkServer(names: Names, found: Found<'mcp'>): DeclaredServer {
  const { entry, folder } = found
  const placed = (text: string): string => text.replace(folderPlaceholder, () => folder.path)
  const { unavailable } = entry
  return {
    ...describe(names, found, entry),
    transport:
      entry.type === 'stdio'
        ? {
            kind: 'stdio',
            command: placed(entry.command ?? ''),
            args: (entry.args ?? []).map(placed),
            env: Object.fromEntries(Object.entries(entry.env ?? {}).map(([name, text]) => [name, placed(text)])),
          }
        : { kind: entry.type === 'sse' ? 'sse' : 'http', url: entry.url ?? '', headers: entry.headers ?? {} },
    oauth: entry.oauth,
    declaredUnavailable: typeof unavailable === 'string' && unavailable.trim() !== '' ? unavailable : undefined,
  }
}

async function linkSkills(reading: Reading, names: Names): Promise<CatalogSkill[]> {
  const files = new Map<Found<'references'>, string>()
  for (const found of names.of('references')) {
    const path = await readReference(reading, found)
    if (path !== undefined) files.set(found, path)
  }
  const skills: CatalogSkill[] = []
  for (const found of names.of('skills')) {
    const { entry } = found
    const references = referencesOf(reading, names, found, files)
    const folder = await readSkillFolder(reading, found)
    if (folder === undefined) continue
    skills.push({
      ...describe(names, found, entry),
      folder,
      category: entry.category ?? basename(dirname(folder)),
      isUserInvocable: entry.user_invocable ?? true,
      references,
    })
  }
  return skills
}

/** Keyed by file name, because a skill refers to its references that way. */
function referencesOf(
  reading: Reading,
  names: Names,
  found: Found<'skills' | 'hooks'>,
  files: ReadonlyMap<Found<'references'>, string>,
): { name: string; path: string }[] {
  const key = `${found.id}.references`
  const paths = (found.entry.references ?? []).flatMap((given) => {
    const meant = names.refer('references', given, { found, key })
    return (meant && files.get(meant)) ?? []
  })
  const byName = new Map<string, string>()
  for (const path of new Set(paths)) {
    if (byName.has(basename(path))) {
      reading.problems.push(sentenceAbout(found.file, key, `two of them have the file name ${basename(path)}`))
    }
    byName.set(basename(path), path)
  }
  return [...byName].map(([name, path]) => ({ name, path }))
}

async function linkHooks(reading: Reading, names: Names): Promise<CatalogHook[]> {
  const hooks: CatalogHook[] = []
  for (const found of names.of('hooks')) {
    for (const given of found.entry.references ?? []) {
      names.refer('references', given, { found, key: `${found.id}.references` })
    }
    const body = await readHook(reading, found)
    if (body) hooks.push({ ...describe(names, found, found.entry), ...body })
  }
  return hooks
}

async function linkPlugins(reading: Reading, names: Names): Promise<Plugin[]> {
  const entries = new Map<Found<'plugins'>, Found<'plugins'>['entry']>()
  for (const found of names.of('plugins')) {
    const entry = await readPlugin(reading, found)
    if (entry.description === undefined) {
      reading.problems.push(sentenceAbout(found.file, `${found.id}.description`, 'is required'))
    }
    entries.set(found, entry)
  }
  return [...expandPlugins(reading, names, entries)].map(([found, expanded]) => {
    const entry = entries.get(found) ?? found.entry
    return {
      ...describe(names, found, entry),
      version: entry.version ?? null,
      keywords: entry.keywords ?? [],
      ...expanded,
    }
  })
}

function linkGoal(names: Names, found: Found<'goals'>): Goal {
  return describe(names, found, { title: found.entry.name, description: found.entry.description })
}

function versionOf({ digests }: Reading): string {
  const lines = [...digests].map(([label, digest]) => `${label} ${digest}`).sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
