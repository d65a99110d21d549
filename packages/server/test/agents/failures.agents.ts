import { describe, expect, test } from 'vitest'
import { atRest, textOf } from '../support/sessions/demo-session.ts'
import { agentYard } from './support/agent-yard.ts'
import { agents } from './support/agents.ts'

// Sessions of a whole server when the provider rejects the agent's calls.

const { app, begin, work, say, restart, logs } = agentYard()
const locked = agentYard({ key: 'bad-key' })

const paused = agentYard({ key: 'pause-key' })

describe.each(agents)('a session of $runtime', (agent) => {
  test('whose provider asks to wait for an hour fails with a sentence', async () => {
    const id = await paused.begin(agent, 'say x')
    expect(await atRest(paused.app, id)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'rate_limit' } })
    expect(await paused.logs(id)).toMatch(/The turn failed \(rate_limit\): .*Wait until the limit is lifted/)
  })

  test('whose key is rejected fails with advice', async () => {
    const id = await locked.begin(agent, 'say x')
    expect(await atRest(locked.app, id)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'auth' } })
    expect(await locked.logs(id)).toMatch(/The turn failed \(auth\): .*Set (ANTHROPIC|OPENAI)_API_KEY/)
  })

  test.each([429, 529])('continues after one status %i', async (status) => {
    const id = await begin(agent, `fail ${status} 1\nsay Recovered`)
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    // On 429 Codex fails the turn at once. Yardmaster asks it to continue, so the answer is not the script's.
    if (agent.runtime === 'runtime_beta' && status === 429) {
      expect(await textOf(app, id)).toMatch(/--- User ---\n\[Automated message from Yardmaster, not from a person\] /)
      return expect(await logs(id)).toMatch(/asks Codex to continue in 5 s \(1 of 3\)/)
    }
    expect(await textOf(app, id)).toContain('--- Assistant ---\nRecovered\n')
    // The Agent Client Protocol does not report retries.
    if (agent.runtime === 'runtime_alpha') expect(await logs(id)).toMatch(/status [45]29.*attempt 2 of 11/)
  })

  test('whose answers keep reaching the limit on output tokens fails as too long', async () => {
    const id = await begin(agent, 'say Half an answer\ncut')
    expect(await atRest(app, id)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'too_long' } })
    expect(await logs(id)).toMatch(/The turn failed \(too_long\): .*(output token|max_output_tokens|token limit)/)
  })

  test('continues after one status 500', async () => {
    const id = await work(agent, 'fail 500 1\nsay Recovered')
    expect(await textOf(app, id)).toContain('--- Assistant ---\nRecovered\n')
  })

  test('fails on an unknown model and continues with another', async () => {
    const id = await begin(agent, 'say x', { config: { model: agent.unknownModel } })
    expect(await atRest(app, id)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'model' } })
    expect(await logs(id)).toContain(agent.unknownModel)
    expect(await app.patch(`/sessions/${id}/model`, { model: agent.model })).toMatchObject({ status: 200 })
    expect(await restart(id)).toMatchObject({ status: 'needs_input' })
    expect(await say(id, 'say Now it works')).toMatchObject({ status: 'needs_input' })
    expect(await textOf(app, id)).toContain('Now it works')
  })
})
