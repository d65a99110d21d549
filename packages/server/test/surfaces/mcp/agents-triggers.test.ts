import { describe, expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'

const { app, create, atWork } = await agentsAtWork()

const schedule = { condition_type: 'schedule', configuration: { scheduled_at: '2041-01-01T00:00', timezone: 'UTC' } }
const own = { name: 'Mine', agent_root_name: 'api', prompt_template: 'say {{text}}', conditions: [schedule] }
const idIn = (answer: string): number => Number(/\bid: (\d+)/.exec(answer)?.[1])
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name)
const ofPerson = async (more: Record<string, unknown> = {}): Promise<number> => {
  const { conditions, ...body } = { ...own, name: 'Of a person', ...more }
  const answer = await app.post('/triggers', { ...body, trigger_conditions_attributes: conditions })
  expect(answer).toMatchObject({ status: 201, body: { trigger: { made_by_session_id: null } } })
  return answer.body.trigger.id
}

describe('search_triggers and action_trigger of an agent', () => {
  test('are offered only where the root of the agent names subagent roots', async () => {
    const lead = await atWork(onRoot('lead'))
    const other = await atWork(onRoot('other'))
    const offered = await lead.clientOf('yardmaster').tools()
    expect(names(offered)).toEqual(expect.arrayContaining(['search_triggers', 'action_trigger']))
    expect(JSON.stringify(offered)).not.toContain('include_channels')
    for (const client of [lead.clientOf('yardmaster-self-session'), other.clientOf('yardmaster-self-session')])
      expect(names(await client.tools())).not.toContain('action_trigger')
    for (const { id } of [lead, other]) await app.post(`/sessions/${id}/pause`)
  })

  test('make triggers on those roots whose sessions are children of the agent, within its limit', async () => {
    const { id, clientOf } = await atWork(onRoot('lead'))
    const lead = clientOf('yardmaster')
    const trigger = idIn((await lead.call('action_trigger', { action: 'create', ...own })).text)
    expect((await app.get(`/triggers/${trigger}`)).body.trigger).toMatchObject({ made_by_session_id: id })
    const fired = await lead.call('action_trigger', { action: 'invoke', id: trigger, variables: { text: 'hello' } })
    expect(fired).toMatchObject({ isError: false })
    const [child] = (await app.get(`/triggers/${trigger}`)).body.recent_sessions
    const { rows } = await app.pool.query('select parent_session_id::int from sessions where id = $1', [child.id])
    expect(rows).toEqual([{ parent_session_id: id }])
    await app.pool.query(
      `insert into sessions (git_root, branch, agent_runtime, genesis, status, parent_session_id)
       select '/tmp/none', 'main', 'demo', 'api', 'needs_input', $1 from generate_series(1, 49)`,
      [id],
    )
    expect(await lead.call('action_trigger', { action: 'invoke', id: trigger })).toMatchObject({
      isError: true,
      text: expect.stringContaining('the most an agent may have'),
    })
    expect(await lead.call('action_trigger', { action: 'delete', id: trigger })).toMatchObject({ isError: false })
    await app.post(`/sessions/${id}/pause`)
  })

  test('see the triggers of people on those roots and change none of them', async () => {
    const { id, clientOf } = await atWork(onRoot('lead'))
    const lead = clientOf('yardmaster')
    const [shared, foreign] = [await ofPerson(), await ofPerson({ agent_root_name: 'other', name: 'Foreign' })]
    const list = (await lead.call('search_triggers', { per_page: 100 })).text
    expect(list).toMatch(/Of a person/)
    expect(list).not.toMatch(/Foreign/)
    expect(await lead.call('search_triggers', { id: shared })).toMatchObject({ isError: false })
    for (const args of [
      { action: 'invoke', id: shared },
      { action: 'update', id: shared, prompt_template: 'say mine' },
      { action: 'toggle', id: shared },
      { action: 'delete', id: shared },
      { action: 'invoke', id: foreign },
      { action: 'create', ...own, agent_root_name: 'other' },
      { action: 'create', ...own, mcp_servers: ['tracker'] },
      { action: 'create', ...own, scheduling_class: 'priority' },
    ])
      expect(await lead.call('action_trigger', args)).toMatchObject({ isError: true })
    expect((await app.get(`/triggers/${shared}`)).body.trigger).toMatchObject({
      status: 'enabled',
      prompt_template: own.prompt_template,
      sessions_created_count: 0,
    })
    await app.post(`/sessions/${id}/pause`)
  })

  test('reach only the sessions of the agent, and no platform', async () => {
    const { id, clientOf } = await atWork(onRoot('lead'))
    const lead = clientOf('yardmaster')
    const stranger = await create()
    const watch = (watched_session_id?: number) => ({
      trigger_type: 'ao_event',
      configuration: { event_name: 'session_failed', ...(watched_session_id && { watched_session_id }) },
    })
    const { conditions: _, ...bare } = own
    for (const args of [
      watch(stranger),
      watch(),
      { trigger_type: 'chat', configuration: { channel_id: 'C1' } },
      { trigger_type: 'forge_issue', configuration: { repos: ['acme/api'] } },
      { conditions: [schedule], reuse_session: true, last_session_id: stranger },
    ])
      expect(await lead.call('action_trigger', { action: 'create', ...bare, ...args })).toMatchObject({ isError: true })
    const child = idIn((await lead.call('start_session', { agent_root: 'api' })).text)
    expect(await lead.call('action_trigger', { action: 'create', ...bare, ...watch(child) })).toMatchObject({
      isError: false,
    })
    await app.post(`/sessions/${id}/pause`)
  })

  test('leave triggers that start nothing once the session is archived, and go with it when it is deleted', async () => {
    const { id, clientOf } = await atWork(onRoot('lead'))
    const made = await clientOf('yardmaster').call('action_trigger', { action: 'create', ...own })
    const trigger = idIn(made.text)
    await app.post(`/sessions/${id}/archive`, { force: true })
    expect((await app.post(`/triggers/${trigger}/invoke`, {})).status).toBe(422)
    expect((await app.get(`/triggers/${trigger}/fires`)).body.fires).toMatchObject([
      { outcome: 'failed', reason: `Session ${id}, which made the trigger, is archived.` },
    ])
    expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
    expect((await app.get(`/triggers/${trigger}`)).status).toBe(404)
  })
})
