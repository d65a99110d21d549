import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atWork, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** Out of the process group, without a parent, and deaf to SIGTERM. */
const daemons = [
  'run setsid sleep 300 > /dev/null 2>&1 < /dev/null &',
  'run (setsid sh -c "sleep 300 & sleep 300" > /dev/null 2>&1 < /dev/null &)',
  'run setsid sh -c "trap : TERM; while true; do sleep 1; done" > /dev/null 2>&1 < /dev/null &',
]

export const leftDaemons = {
  name: 'R7',
  what: 'daemons that an agent leaves behind (setsid, double fork)',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 2,
  round: async ({ yard, seed, random }) => {
    const host = await yard.up()
    const unrelated = spawn('sleep', ['300'], { stdio: 'ignore' })
    try {
      const tag = `R7.${seed}`
      const gate = join(yard.folder, `${tag}.gate`)
      // Until they have been seen; what the turn does with them at its end is the matter here.
      const between = [...daemons, `run until [ -e ${gate} ]; do sleep 0.1; done`]
      const id = await createSession(yard, host, yard.effects.prompt(tag, 1, ...between))
      const [turn] = await atWork(yard, [id])
      const seen = await until(
        'the daemons run',
        () => yard.processesOf([turn.run_marker]),
        (found) => found.length >= daemons.length + 1,
        30_000,
      )
      await wait(random.between(0, 500))
      await writeFile(gate, '')
      await settled(yard, [id])
      const gone = await until(
        'nothing is left',
        () => yard.processesOf([turn.run_marker]),
        (left) => left.length === 0,
      )
      return {
        ...judge(yard.effects, [{ tag, number: 1 }], yard.homes()),
        recoverySeconds: gone.seconds,
        figures: { 'processes seen': seen.answer.length },
        problems:
          unrelated.exitCode === null && unrelated.signalCode === null ? [] : ['an unrelated process was ended'],
      }
    } finally {
      unrelated.kill('SIGKILL')
    }
  },
}
