import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Catalog, openCatalog } from '../../../src/domain/catalog/catalog.ts'
import type { CatalogOptions } from '../../../src/domain/catalog/open-catalog.ts'
import { silentLog } from '../log/silent-log.ts'

/** What a file holds: text as it is, anything else as JSON. */
export type Files = Record<string, unknown>

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await replaceFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** Replaces the file atomically: a reader sees the old file or the new one. */
export async function replaceFile(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content)
  await rename(`${path}.new`, path)
}

/** A folder that is deleted when the test ends. */
export async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-catalog-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** `air.json` with the index file of each kind that exists, and an empty home beside the catalog. */
export async function catalogFolder(files: Files): Promise<{ folder: string; home: string }> {
  const place = await emptyFolder()
  const folder = join(place, 'catalog')
  const home = join(place, 'home')
  await mkdir(home)
  await writeFiles(folder, { 'air.json': airOf(files), ...files })
  return { folder, home }
}

const kinds = ['roots', 'mcp', 'skills', 'hooks', 'plugins', 'references', 'goals']

export function airOf(files: Files): Record<string, unknown> {
  const there = kinds.filter((kind) => files[`${kind}.json`] !== undefined)
  return { name: 'test', ...Object.fromEntries(there.map((kind) => [kind, [`${kind}.json`]])) }
}

/** An open catalog, closed when the test ends. By default it reloads only on request. */
export async function openedCatalog(
  files: Files,
  options: Partial<CatalogOptions> = {},
): Promise<{ catalog: Catalog; folder: string; home: string }> {
  const { folder, home } = await catalogFolder(files)
  const catalog = await openCatalog({
    path: join(folder, 'air.json'),
    home,
    environment: {},
    log: silentLog,
    follow: { isWatching: false, pollMs: 3_600_000 },
    ...options,
  })
  onTestFinished(() => catalog.close())
  return { catalog, folder, home }
}

/** The error of an invalid catalog. */
export async function problemOf(files: Files, options: Partial<CatalogOptions> = {}): Promise<string> {
  const { folder, home } = await catalogFolder(files)
  return problemWith(folder, { home, ...options })
}

export async function problemWith(path: string, options: Partial<CatalogOptions> = {}): Promise<string> {
  const opened = await openCatalog({ path, home: path, environment: {}, log: silentLog, ...options }).catch(
    (error: unknown) => error,
  )
  if (opened instanceof Error) return `${opened.name}: ${opened.message}`
  await (opened as Catalog).close()
  return 'nothing'
}

/** A skill and the entry that names it. */
export const skill = (name: string): Files => ({ [`skills/workflow/${name}/SKILL.md`]: `# ${name}\n` })
export const hook = (name: string, file: Record<string, unknown> = {}): Files => ({
  [`hooks/${name}/HOOK.json`]: { event: 'session_start', command: './run.sh', ...file },
})
