import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInside } from '../platform/contained-path.ts'
import type { Home } from '../platform/home/home.ts'
import type { Log } from '../platform/log/log.ts'
import { type Confinement, openConfinement } from '../platform/process/confinement.ts'
import type { Config } from './config.ts'

type Host = { home: Home; hidden: readonly string[]; log: Log }

/** What agents see of this host: everything but what is ours, and of that what they need. */
export async function openAgentConfinement(config: Config, { home, hidden, log }: Host): Promise<Confinement> {
  const confinement = await openConfinement({
    mode: config.AGENT_CONFINEMENT,
    home: home.path,
    stage: home.in('stage'),
    hidden: [...hidden, resolve('.env')],
    readable: [
      home.in('agents'),
      home.in('sample-repository'),
      ...catalogIn(home, config.CATALOG_PATH),
      ...(await ownProgram()),
    ],
  })
  if (config.ROLE !== 'web') log.info({ confinement: confinement.mechanism }, confinement.sentence)
  return confinement
}

/** Hooks and MCP servers of a catalog in the home run from there. Never the home itself, which holds secrets. */
function catalogIn(home: Home, catalog: string | undefined): string[] {
  const folder = catalog === undefined ? home.path : dirname(catalog)
  return isInside(home.path, folder) && folder !== home.path ? [folder] : []
}

/** The built-in agent is a program of this package. */
async function ownProgram(): Promise<string[]> {
  const inPackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  return [await realpath(process.execPath), inPackage('dist'), inPackage('package.json')]
}
