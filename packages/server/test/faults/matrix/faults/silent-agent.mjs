import { atWork, createSession } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const silenceSeconds = 4

export const silentAgent = {
  name: 'R24',
  what: `an agent that never says a word again, where ${silenceSeconds} s of silence are allowed`,
  seeds: 20,
  limitSeconds: 120,
  limits: { 'off the configured time (s)': 2 },
  round: async ({ yard, seed, random }) => {
    const host = await yard.up('watched', { AGENT_SILENCE_SECONDS: String(silenceSeconds) })
    const tag = `R24.${seed}`
    const words = Array.from({ length: random.between(0, 3) }, (_, index) => `say still here ${index}`)
    const id = await createSession(yard, host, yard.effects.prompt(tag, 1, ...words, 'sleep 600'))
    const [turn] = await atWork(yard, [id])
    const agents = await yard.processesOf([turn.run_marker])
    // Its last word is in its transcript by the time that the last of its lines is stored.
    const silentSince = performance.now()
    await until(
      'the session has failed',
      async () => (await yard.pool.query('select status, metadata from sessions where id = $1', [id])).rows[0],
      ({ status, metadata }) => status === 'failed' && metadata.failure_reason === 'silent',
    )
    const seconds = (performance.now() - silentSince) / 1000
    const left = await yard.stillRunning(agents)
    return {
      ...judge(yard.effects, [{ tag, number: 1 }], yard.homes(), { mayBeCut: true }),
      figures: { 'off the configured time (s)': Math.abs(seconds - silenceSeconds) },
      problems: [left.length > 0 && `${left.length} processes of it are left`].filter(Boolean),
    }
  },
}
