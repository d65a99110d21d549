import { dirname, join } from 'node:path'
import { readConfig } from '../../../src/app/config.ts'
import { systemUser } from '../../../src/platform/home/system-user.ts'
import { openConfinement } from '../../../src/platform/process/confinement.ts'
import type { Confine } from '../../../src/platform/process/program.ts'
import type { Conversation } from '../../../src/runtimes/runtime.ts'

/** As the server runs agents, in the mode of AGENT_CONFINEMENT: `npm run test:agents` runs in any mode. */
export async function confined({ home, workingDirectory }: Conversation): Promise<Confine> {
  const folder = dirname(home)
  const confinement = await openConfinement({
    mode: readConfig({ AGENT_CONFINEMENT: process.env.AGENT_CONFINEMENT }).AGENT_CONFINEMENT,
    user: await systemUser('agents'),
    home: folder,
    stage: join(folder, 'stage'),
    hidden: [],
    // The MCP servers of the tests, wherever the checkout is: `strict` hides /tmp.
    readable: [process.execPath, import.meta.dirname],
  })
  return confinement.confine({ work: workingDirectory, home })
}
