import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { readJsonFile } from './files/json-file.ts'

/** `package.json` is at the same depth above the sources and above the build. */
const packageFile = fileURLToPath(new URL('../../package.json', import.meta.url))

export const { version } = readJsonFile(packageFile, z.object({ version: z.string() }))

/** Written by each build and start of a checkout. */
const commitFile = fileURLToPath(new URL('../../dist/.commit', import.meta.url))

/** The commit that this build was made from; null if that is not known. */
export const commit = readCommit(commitFile)

export function readCommit(file: string): string | null {
  try {
    return /^[\da-f]{40,64}(-dirty)?$/.exec(readFileSync(file, 'utf8').trim())?.[0] ?? null
  } catch {
    return null
  }
}
