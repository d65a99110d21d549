import { describe, expect, test } from 'vitest'
import { addFeedback } from '../../../src/domain/gates/gate-decision.ts'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'

const { app, atWork } = await agentsAtWork()
const query = '?tool_groups=gate_decisions'
const names = ['search_gate_decisions', 'get_gate_decision_feedback', 'record_gate_decision']
const latest = async () => (await app.get('/gate_decisions')).body.gate_decisions[0]

describe('the tools of gate decisions', () => {
  test('an API key gets the tools of gate decisions only when it asks for their group', async () => {
    expect((await mcpClient(app, { query }).tools()).map(({ name }) => name)).toEqual(names)
    for (const { name } of await mcpClient(app).tools()) expect(names).not.toContain(name)
  })

  test('an API key records, searches and shows decisions, and reads what people said', async () => {
    const client = mcpClient(app, { query })
    const decision = { gate: 'pr', surface: 'web', entry: { title: 'Fix the loop', decision: 'hold' } }
    expect(await client.call('record_gate_decision', decision)).toMatchObject({ isError: false })
    const { id, recorded_via } = await latest()
    expect(recorded_via).toBe('mcp')
    const { text } = await client.call('search_gate_decisions', { query: 'the LOOP' })
    expect(text).toContain('Fix the loop')
    expect(text).not.toContain('filter_values')
    expect((await client.call('search_gate_decisions', { id })).text).toContain('hold')
    expect(await client.call('search_gate_decisions', { gate: 'release' })).toMatchObject({ isError: true })
    expect((await client.call('get_gate_decision_feedback', {})).text).not.toContain('Fix the loop')
    await addFeedback(app.host.app, id, { verdict: 'too strict', note: null, author: 'Ada' })
    expect((await client.call('get_gate_decision_feedback', {})).text).toContain('too strict')
  })

  test('an agent whose root allows it records decisions in the name of its session, redacted, and gives no feedback', async () => {
    const { id, clientOf } = await atWork(onRoot('keeper_of_gates'))
    const client = clientOf('yardmaster-self-session')
    const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}F6g7H8`
    const entry = { decision: 'merge', note: secret, human_feedback: [{ verdict: 'fine' }] }
    const recording = { gate: 'pr', surface: 'web', entry }
    expect(await client.call('record_gate_decision', recording)).toMatchObject({ isError: false })
    const decision = (await app.get(`/gate_decisions/${(await latest()).id}`)).body.gate_decision
    expect(decision).toMatchObject({ writing_session_id: id, decision: 'merge', human_feedback: [] })
    expect(JSON.stringify(decision)).not.toContain('ghp_')
    await app.post(`/sessions/${id}/pause`)
  })

  test('an agent whose root does not allow it has no tool of gate decisions, whatever it asks for', async () => {
    const { id, servers } = await atWork(onRoot('other'))
    const own = mcpClient(app, { key: servers[0]?.headers['X-API-Key'] ?? '', query })
    expect(await own.tools()).toEqual([])
    expect(await own.call('record_gate_decision', { gate: 'pr', surface: 'web', entry: {} })).toMatchObject({
      isError: true,
    })
    await app.post(`/sessions/${id}/pause`)
  })
})
