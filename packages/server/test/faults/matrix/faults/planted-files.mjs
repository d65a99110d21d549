import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** More than the process has threads for file operations. */
const sessionCount = 6

/** Each blocks, never ends or leads out of its folder when it is opened like an ordinary file. */
const plants = [
  'run mkfifo $HOME/transcripts/agent-1.jsonl',
  'run mkfifo $HOME/transcripts/agent-1.json; echo > $HOME/transcripts/agent-1.jsonl',
  'run ln -s /dev/zero $HOME/transcripts/agent-1.jsonl',
  'run ln -s /dev/stdin $HOME/transcripts/agent-1.jsonl',
  'run rm .git/HEAD; mkfifo .git/HEAD',
  'run ln -s /dev/zero .mcp.json; mkfifo .gitmodules',
]

export const plantedFiles = {
  name: 'R39',
  what: 'agents plant pipes, devices and links where the host reads; kill -9, restart',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: 10,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const ids = []
    for (let index = 0; index < sessionCount; index += 1) {
      const plant = seed % 2 === 0 ? random.pick(plants) : plants[index % plants.length]
      ids.push(await createSession(cluster, host, [plant, `sleep ${random.between(5, 30) / 10}`].join('\n')))
    }
    await agentsUp(cluster, ids).catch(() => undefined) // some may have ended already
    await wait(random.between(0, 3000))
    await host.kill()
    const next = await cluster.start()
    const recoverySeconds = (performance.now() - next.bootedAt) / 1000
    // How the planting sessions end is their own concern; what matters is that they end, and that others run.
    await settled(cluster, ids)
    // The matrix reads every transcript as an ordinary file.
    for (const id of ids) {
      await rm(join(next.home, 'runtimes', `session-${id}`), { recursive: true, force: true })
    }
    const tag = `R39.${seed}`
    const unharmed = await createSession(cluster, next, cluster.effects.prompt(tag, 1))
    await settled(cluster, [unharmed])
    const { status } = await next.get('/up/deep')
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      recoverySeconds,
      problems: status === 200 ? [] : [`/up/deep answered ${status}`],
    }
  },
}
