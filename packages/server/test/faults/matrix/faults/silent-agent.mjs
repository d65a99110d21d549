import { agentsUp, createSession } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const silenceSeconds = 4

export const silentAgent = {
  name: 'R24',
  what: `an agent stops printing, with a silence timeout of ${silenceSeconds} s`,
  seeds: 20,
  limitSeconds: 120,
  limits: { 'off the configured time (s)': 2 },
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up('watched', { AGENT_SILENCE_SECONDS: String(silenceSeconds) })
    const tag = `R24.${seed}`
    const lines = Array.from({ length: random.between(0, 3) }, (_, index) => `say still here ${index}`)
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, ...lines, 'sleep 600'))
    const [turn] = await agentsUp(cluster, [id])
    const agents = await cluster.processesOf([turn.run_marker])
    const silentSince = performance.now()
    await until(
      'the session has failed',
      async () => (await cluster.pool.query('select status, metadata from sessions where id = $1', [id])).rows[0],
      ({ status, metadata }) => status === 'failed' && metadata.failure_reason === 'silent',
    )
    const seconds = (performance.now() - silentSince) / 1000
    const left = await cluster.stillRunning(agents)
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes(), { mayBeInterrupted: true }),
      figures: { 'off the configured time (s)': Math.abs(seconds - silenceSeconds) },
      problems: [left.length > 0 && `${left.length} of its processes are left`].filter(Boolean),
    }
  },
}
