import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { readJsonFile } from './files/json-file.ts'

/** `package.json` is at the same depth above the sources and above the build. */
const packageFile = fileURLToPath(new URL('../../package.json', import.meta.url))

export const { version } = readJsonFile(packageFile, z.object({ version: z.string() }))
