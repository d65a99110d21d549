import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** Daemons that leave the process group, lose their parent or ignore SIGTERM. */
const daemons = [
  'run setsid sleep 300 > /dev/null 2>&1 < /dev/null &',
  'run (setsid sh -c "sleep 300 & sleep 300" > /dev/null 2>&1 < /dev/null &)',
  'run setsid sh -c "trap : TERM; while true; do sleep 1; done" > /dev/null 2>&1 < /dev/null &',
]

export const leftDaemons = {
  name: 'R7',
  what: 'daemons that an agent leaves behind (setsid, double fork), confined and as plain processes',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 2,
  round: async ({ cluster, seed, random }) => {
    // Every other round without confinement, where no kernel ends them.
    const [name, environment] = seed % 2 ? ['a', {}] : ['plain', { AGENT_CONFINEMENT: 'off' }]
    await cluster.stop(name === 'a' ? 'plain' : 'a')
    const host = await cluster.up(name, environment)
    const unrelated = spawn('sleep', ['300'], { stdio: 'ignore' })
    try {
      const tag = `R7.${seed}`
      const gate = join(cluster.folder, `${tag}.gate`)
      // The turn stays open until the round has seen the daemons.
      const between = [...daemons, `run until [ -e ${gate} ]; do sleep 0.1; done`]
      const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, ...between))
      const [turn] = await agentsUp(cluster, [id])
      const seen = await until(
        'the daemons run',
        () => cluster.processesOf([turn.run_marker]),
        (found) => found.length >= daemons.length + 1,
        30_000,
      )
      await wait(random.between(0, 500))
      await writeFile(gate, '')
      await settled(cluster, [id])
      const gone = await until(
        'all processes of the turn have ended',
        () => cluster.processesOf([turn.run_marker]),
        (left) => left.length === 0,
      )
      return {
        ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
        recoverySeconds: gone.seconds,
        figures: { 'processes seen': seen.answer.length },
        problems:
          unrelated.exitCode === null && unrelated.signalCode === null ? [] : ['an unrelated process was killed'],
      }
    } finally {
      unrelated.kill('SIGKILL')
    }
  },
}
