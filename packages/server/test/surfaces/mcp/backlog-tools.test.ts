import { describe, expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { newItem } from '../../support/backlog/items.ts'

const { app, atWork } = await agentsAtWork()
const query = '?tool_groups=work_backlog'
const names = ['get_work_backlog', 'append_work_backlog_item', 'pull_work_backlog_items']
const itemOf = async (key: string) => (await app.get(`/work_backlog_items/${key}`)).body.work_backlog_item

describe('the tools of the work backlog', () => {
  test('an API key gets the tools of the work backlog only when it asks for their group', async () => {
    expect((await mcpClient(app, { query }).tools()).map(({ name }) => name)).toEqual(names)
    for (const { name } of await mcpClient(app).tools()) expect(names).not.toContain(name)
  })

  test('an API key appends, lists, shows and pulls, and the item says that it came by a tool', async () => {
    const client = mcpClient(app, { query })
    expect(await client.call('append_work_backlog_item', newItem({ key: 'by-tool' }))).toMatchObject({ isError: false })
    expect(await itemOf('by-tool')).toMatchObject({ added_via: 'mcp', added_by: 'human' })
    const { text } = await client.call('get_work_backlog', { surface: 'web' })
    expect(text).toContain('by-tool')
    // What a menu of a page offers would be read by the agent at every call.
    expect(text).not.toContain('filter_values')
    expect((await client.call('get_work_backlog', { id: 'by-tool' })).text).toContain('Login redirect loops')
    expect(await client.call('get_work_backlog', { status: 'done' })).toMatchObject({ isError: true })
    expect(await client.call('pull_work_backlog_items', { keys: ['by-tool'] })).toMatchObject({ isError: false })
    expect(await itemOf('by-tool')).toMatchObject({ status: 'started' })
  })

  test('append_work_backlog_item refuses prompt, precedence, pinned and added_by', async () => {
    const client = mcpClient(app, { query })
    for (const more of [{ prompt: 'x' }, { precedence: 1 }, { pinned: true }, { added_by: 'human' }, { payload: {} }])
      expect(await client.call('append_work_backlog_item', newItem({ key: 'refused', ...more }))).toMatchObject({
        isError: true,
      })
    expect((await app.get('/work_backlog_items/refused')).status).toBe(404)
  })

  test('an agent whose root allows it appends and pulls in the name of its session, and its sessions are its children', async () => {
    const { id, clientOf } = await atWork(onRoot('puller'))
    const client = clientOf('yardmaster-self-session')
    expect(await client.call('append_work_backlog_item', newItem({ key: 'agents' }))).toMatchObject({ isError: false })
    expect(await itemOf('agents')).toMatchObject({ added_by: `session:${id}`, writing_session_id: id })
    expect(await client.call('pull_work_backlog_items', { keys: ['agents'] })).toMatchObject({ isError: false })
    const started = await itemOf('agents')
    expect(started).toMatchObject({ status: 'started', started_by_session_id: id })
    const { rows } = await app.pool.query('select parent_session_id::int from sessions where id = $1', [
      started.started_session_id,
    ])
    expect(rows).toEqual([{ parent_session_id: id }])
    await app.post(`/sessions/${id}/pause`)
  })

  test('an agent that may not start sessions on the root of the backlog may append, and pulls nothing', async () => {
    const { id, clientOf } = await atWork(onRoot('gate'))
    const client = clientOf('yardmaster-self-session')
    expect(await client.call('append_work_backlog_item', newItem({ key: 'gated' }))).toMatchObject({ isError: false })
    expect(await client.call('pull_work_backlog_items', { count: 1 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('orchestrator'),
    })
    expect(await itemOf('gated')).toMatchObject({ status: 'queued' })
    await app.post(`/sessions/${id}/pause`)
  })

  test('an agent whose root does not allow it has no tool of the work backlog, whatever it asks for', async () => {
    for (const root of ['lead', 'other']) {
      const { id, servers } = await atWork(onRoot(root))
      const own = mcpClient(app, { key: servers[0]?.headers['X-API-Key'] ?? '', query })
      expect(await own.tools()).toEqual([])
      expect(await own.call('pull_work_backlog_items', { count: 1 })).toMatchObject({ isError: true })
      await app.post(`/sessions/${id}/pause`)
    }
  })
})
