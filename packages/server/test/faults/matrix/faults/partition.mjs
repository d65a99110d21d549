import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { openLink } from '../link.mjs'
import { judgeStored } from '../stored.mjs'
import { until } from '../until.mjs'

const cutMs = 40_000
const shortlyCutMs = 25_000

const lines = Array.from({ length: 400 }, (_, line) => [`say line ${line}`, 'sleep 0.2']).flat()

export const partition = {
  name: 'R28',
  what: 'one of two or three servers loses its link to the database; it stops its agents before their leases end',
  seeds: 20,
  limitSeconds: 300,
  recoveryLimitSeconds: 30,
  limits: { 'agents of the cut-off server dead (s)': 15 },
  round: async ({ cluster, seed, random, isShort }) => {
    const link = await openLink(cluster.database.url)
    try {
      const others = await cluster.only(1 + (seed % 2))
      const cutOff = await cluster.start(`cut-off-${seed}`, { DATABASE_URL: link.url })
      const accepted = []
      const ids = []
      for (let index = 0; index < 4; index += 1) {
        const tag = `R28.${seed}.${index}`
        ids.push(await createSession(cluster, cutOff, cluster.effects.prompt(tag, 1, ...lines)))
        await cutOff.command('enqueue', { id: ids.at(-1), prompt: cluster.effects.prompt(tag, 2) })
        for (const number of [1, 2]) accepted.push({ tag, number })
      }
      const turns = await agentsUp(cluster, ids)
      const taken = turns.filter(({ lease_owner }) => lease_owner === cutOff.hostId)
      const stale = await cluster.processesOf(taken.map(({ run_marker }) => run_marker))
      const cutAt = performance.now()
      link.cut(random.pick(['refusing', 'silent']))
      const dead = await until(
        'the cut-off server stopped its agents',
        () => cluster.stillRunning(stale),
        (left) => left.length === 0,
        40_000,
      )
      const recoverySeconds = await recovery(cluster, taken, cutAt)
      const untilMs = cutAt + (isShort ? shortlyCutMs : cutMs)
      await wait(Math.max(0, untilMs - performance.now()))
      link.mend()
      for (const { session_id } of turns.filter((turn) => !taken.includes(turn))) {
        await others[0].command('pause', { id: session_id })
        await others[0].command('followUp', { id: session_id, prompt: 'say go on' })
      }
      await settled(cluster, ids)
      return {
        ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
        recoverySeconds,
        figures: {
          'agents of the cut-off server dead (s)': stale.length === 0 ? 0 : dead.seconds,
          'turns taken over': taken.length,
        },
        problems: await judgeStored(cluster, ids, accepted),
      }
    } finally {
      await cluster.stop(`cut-off-${seed}`)
      await link.close()
    }
  },
}
