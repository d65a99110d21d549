import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../../src/app/config.ts'
import { systemUser } from '../../../src/platform/home/system-user.ts'
import { openConfinement } from '../../../src/platform/process/confinement.ts'
import type { Confine } from '../../../src/platform/process/program.ts'
import type { Conversation } from '../../../src/runtimes/runtime.ts'

/** As the server runs agents, in the mode of AGENT_CONFINEMENT: `npm run test:agents` runs in any mode. */
export async function confined({ home, workingDirectory }: Conversation): Promise<Confine> {
  const stage = await mkdtemp(join(tmpdir(), 'yardmaster-stage-'))
  onTestFinished(() => rm(stage, { recursive: true, force: true }))
  const confinement = await openConfinement({
    mode: readConfig({ AGENT_CONFINEMENT: process.env.AGENT_CONFINEMENT }).AGENT_CONFINEMENT,
    user: await systemUser('agents'),
    home: dirname(home),
    stage,
    hidden: [],
    readable: [process.execPath],
  })
  return confinement.confine({ work: workingDirectory, home })
}
