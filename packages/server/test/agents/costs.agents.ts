import { describe, expect, test } from 'vitest'
import { agentYard } from './support/agent-yard.ts'
import { agents } from './support/agents.ts'

// The costs of sessions with each real agent and a scripted model, which decides what every call reports.

const { app, work, say, model } = agentYard()

/** Of two calls: input, output, cache read and cache written, as each provider counts them. */
const counted = {
  runtime_alpha: { input_tokens: 1600, output_tokens: 28, cache_read_tokens: 370, cache_creation_tokens: 52 },
  // The provider counts cached tokens as input too, and does not report cache writes.
  runtime_beta: { input_tokens: 1230, output_tokens: 28, cache_read_tokens: 370, cache_creation_tokens: 0 },
  'claude-acp': { input_tokens: 1600, output_tokens: 28, cache_read_tokens: 370, cache_creation_tokens: 52 },
}

describe.each(agents)('the costs of a session of $runtime', (agent) => {
  const costs = async (id: number) => (await app.get(`/costs?session_id=${id}`)).body

  test('equal what the model reported, over two turns, and a sweep of all history changes nothing', async () => {
    const id = await work(agent, 'usage 1100 22 300 44\nrun echo from the shell\nusage 500 6 70 8\nsay Done')
    const { totals, scope, by_runtime } = await costs(id)
    expect(scope).toMatchObject({ kind: 'session', session_id: id })
    expect(totals).toMatchObject(counted[agent.runtime])
    expect(by_runtime).toMatchObject([{ agent_runtime: agent.runtime, tokens: totals.total_tokens }])
    const asked = model.requests.length
    expect(await say(id, 'usage 7 3 0 0\nsay More')).toMatchObject({ status: 'needs_input' })
    const after = (await costs(id)).totals
    expect(model.requests.length).toBeGreaterThan(asked)
    expect(after).toMatchObject({
      input_tokens: totals.input_tokens + 7,
      output_tokens: totals.output_tokens + 3,
      api_calls: totals.api_calls + 1,
    })
    expect(await app.post('/costs/backfill')).toMatchObject({ status: 200 })
    await expect
      .poll(async () => (await costs(id)).ledger_coverage.status, { timeout: 60_000, interval: 500 })
      .toBe('complete')
    expect((await costs(id)).totals).toEqual(after)
  })
})
