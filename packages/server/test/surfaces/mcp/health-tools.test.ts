import { expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'

const { app, atWork } = await agentsAtWork()
const { tools, call } = mcpClient(app, { query: '?tool_groups=health' })

test('the health tools are in the default set, and the readonly group has those that only look', async () => {
  const names = async (query: string) =>
    (await mcpClient(app, { query }).tools()).map(({ name }: { name: string }) => name).toSorted()
  const all = ['action_health', 'action_spot_policy', 'get_spot_policy', 'get_system_health']
  expect(await names('?tool_groups=health')).toEqual(expect.arrayContaining(all))
  expect(await names('')).toEqual(expect.arrayContaining(all))
  expect(await names('?tool_groups=health_readonly')).toEqual(
    expect.arrayContaining(['get_spot_policy', 'get_system_health']),
  )
  expect(await names('?tool_groups=health_readonly')).not.toContain('action_health')
  expect(await names('?tool_groups=health&allowed_agent_roots=widgets')).not.toContain('action_health')
  expect((await tools()).length).toBeGreaterThanOrEqual(4)
})

test('get_system_health shows the report', async () => {
  const { text, isError } = await call('get_system_health')
  expect(isError).toBe(false)
  expect(text).toContain('overall_status')
})

test('action_health shares the cooldown of its key with REST, and names itself as the one who entered recovery mode', async () => {
  expect((await call('action_health', { action: 'archive_old', days: 300 })).isError).toBe(false)
  expect((await app.post('/health/archive_old', {})).status).toBe(429)
  await app.pool.query(
    "insert into queue_recovery values (true, now() - interval '1 min', now() + interval '5 min', null, 'x')",
  )
  expect((await call('action_health', { action: 'enter_queue_recovery_mode', reason: 'why' })).text).toContain('MCP')
  expect((await call('action_health', { action: 'exit_queue_recovery_mode' })).isError).toBe(false)
})

test('action_spot_policy changes the class of one origin and keeps the others', async () => {
  expect((await call('action_spot_policy', { action: 'promote_genesis', genesis: 'api' })).isError).toBe(false)
  expect((await call('action_spot_policy', { action: 'demote_genesis', genesis: 'web_ui' })).isError).toBe(false)
  const overrides = async () => (await app.get('/settings')).body.settings.genesis_class_overrides
  expect(await overrides()).toEqual({ api: 'priority', web_ui: 'spot' })
  expect((await call('action_spot_policy', { action: 'promote_genesis', genesis: 'chat' })).isError).toBe(true)
  expect((await call('action_spot_policy', { action: 'reset_genesis_classes' })).isError).toBe(false)
  expect(await overrides()).toEqual({})
  expect((await call('action_spot_policy', { action: 'set_gating', spot_max_concurrent_sessions: 12 })).isError).toBe(
    false,
  )
  expect((await call('get_spot_policy')).text).toContain('12')
})

test.each([
  ['other', []],
  ['watcher', ['get_spot_policy', 'get_system_health']],
  ['keeper', ['action_health', 'action_spot_policy']],
])('an agent of the root %s is offered of the health tools only what its root allows: %j', async (root, expected) => {
  const { id, servers } = await atWork(onRoot(root))
  const key = servers[0]?.headers['X-API-Key'] ?? ''
  const own = mcpClient(app, { key, query: '?tool_groups=health,health_readonly,self_session,sessions' })
  const offered = (await own.tools()).map(({ name }: { name: string }) => name)
  expect(offered.filter((name: string) => /health|spot_policy/.test(name)).toSorted()).toEqual(expected)
  if (root === 'other') expect((await own.call('get_system_health')).isError).toBe(true)
  if (root === 'keeper')
    expect((await own.call('action_health', { action: 'exit_queue_recovery_mode' })).isError).toBe(false)
  await app.post(`/sessions/${id}/pause`)
})
