import { expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const { app, atWork } = await agentsAtWork()

const archived = (columns: Record<string, unknown> = {}) =>
  insertSession(app.pool, { status: 'archived', archived_at: new Date(), ...columns })

const root = {
  id: 'S0',
  trigger: { kind: 'New', source: 'user' },
  goal: { text: 'Fix the loop', kind: 'Action' },
  outcome: { kind: 'Success', explanation: 'Tests are green.' },
}

test('save_outcome_analysis saves through the same checks as the endpoint', async () => {
  const session_id = await archived()
  const client = mcpClient(app)
  const refused = await client.call('save_outcome_analysis', { session_id, root: { ...root, id: 'S1' } })
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('Segment S0: id must be S0') })
  expect(await client.call('save_outcome_analysis', { session_id, root })).toMatchObject({ isError: false })
  expect((await app.get(`/outcome_analyses/${session_id}`)).body.outcome_analysis.root_outcome).toBe('Success')
})

test('an agent without the group has no save_outcome_analysis, and one with it reaches only its descendants', async () => {
  const { id, servers, clientOf } = await atWork(onRoot('lead'))
  expect((await clientOf('yardmaster-self-session').tools()).map(({ name }) => name)).not.toContain(
    'save_outcome_analysis',
  )
  const key = servers[0]?.headers['X-API-Key'] ?? ''
  const own = mcpClient(app, { key, query: '?tool_groups=sessions' })
  const [child, stranger] = [await archived({ parent_session_id: id }), await archived()]
  expect(await own.call('save_outcome_analysis', { session_id: stranger, root })).toMatchObject({ isError: true })
  expect((await app.get(`/outcome_analyses/${stranger}`)).status).toBe(404)
  expect(await own.call('save_outcome_analysis', { session_id: child, root })).toMatchObject({ isError: false })
  expect((await app.get(`/outcome_analyses/${child}`)).body.outcome_analysis.analyzer_session_id).toBe(id)
  await app.post(`/sessions/${id}/pause`)
})
