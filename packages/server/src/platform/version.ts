import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The package's own file stands at the same depth above the sources and above the build. */
const packageFile = new URL('../../package.json', import.meta.url)

export const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')))
