import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled, startHosts } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** More than there are threads for file operations. */
const sessionCount = 6

const obstacles = [
  'mkfifo $HOME/transcripts/agent-1.jsonl',
  'ln -s /dev/zero $HOME/transcripts/agent-1.jsonl',
  'truncate -s 100G $HOME/transcripts/agent-1.jsonl',
  'mkfifo $HOME/transcripts/agent-1.json; : > $HOME/transcripts/agent-1.jsonl',
  'mkdir $HOME/transcripts/agent-1.jsonl',
]

export const hostileFiles = {
  name: 'R37',
  what: "agents put pipes and devices in the place of subagents' transcripts; kill -9 or SIGTERM, restart",
  seeds: 20,
  limitSeconds: 180,
  limits: { 'start (s)': 10, 'stop (s)': 20 },
  round: async ({ cluster, seed, random }) => {
    const hosts = await startHosts(cluster, seed)
    const accepted = []
    const ids = []
    for (let index = 0; index < sessionCount; index += 1) {
      const tag = `R37.${seed}.${index}`
      const obstacle = index < 4 ? obstacles[0] : random.pick(obstacles)
      const prompt = cluster.effects.prompt(tag, 1, `run ${obstacle}`, `sleep ${random.between(5, 40) / 10}`)
      ids.push(await createSession(cluster, random.pick(hosts), prompt))
      accepted.push({ tag, number: 1 })
    }
    await wait(random.between(1000, 5000))
    const victim = random.pick(hosts)
    const stopping = performance.now()
    await (seed % 2 === 0 ? victim.stop() : victim.kill())
    const stopSeconds = (performance.now() - stopping) / 1000
    const starting = performance.now()
    await startHosts(cluster, seed)
    const startSeconds = (performance.now() - starting) / 1000
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      figures: { 'start (s)': startSeconds, 'stop (s)': stopSeconds },
    }
  },
}
