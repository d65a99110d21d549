import { describe, expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { insertUsage } from '../../support/costs/usage-rows.ts'

const { app, atWork } = await agentsAtWork()

describe('get_costs', () => {
  test('get_costs answers an API key as GET /costs does', async () => {
    await insertUsage(app.pool, { agent_root: 'web', input_tokens: 1e6, output_tokens: 0 })
    const client = mcpClient(app)
    const { text, isError } = await client.call('get_costs', { days: 2, agent_root: 'web' })
    expect(isError).toBe(false)
    expect(text).toMatch(/kind: agent_root/)
    expect(text).toMatch(/cost_usd: 5\n/)
    expect(await client.call('get_costs', { session_id: 'no-such-slug' })).toMatchObject({ isError: true })
  })

  test('get_costs and get_transcript_archive are offered to no agent whose root does not allow it, whatever it asks for', async () => {
    for (const root of ['lead', 'other']) {
      const { id, servers } = await atWork(onRoot(root))
      const key = servers[0]?.headers['X-API-Key'] ?? ''
      for (const query of ['', '?tool_groups=health,health_readonly,self_session,sessions']) {
        const own = mcpClient(app, { key, query })
        for (const tool of ['get_costs', 'get_transcript_archive']) {
          expect((await own.tools()).map(({ name }) => name)).not.toContain(tool)
          expect(await own.call(tool)).toEqual({ isError: true, text: `Unknown tool: ${tool}` })
        }
      }
      await app.post(`/sessions/${id}/pause`)
    }
  })

  test('get_costs and get_transcript_archive are among the tools of an agent whose root allows see_operations', async () => {
    const { id, clientOf } = await atWork(onRoot('watcher'))
    const { text, isError } = await clientOf('yardmaster-self-session').call('get_costs', { days: 1 })
    expect({ isError, text }).toEqual({ isError: false, text: expect.stringContaining('kind: fleet') })
    const archive = await clientOf('yardmaster-self-session').call('get_transcript_archive')
    expect(archive.text).toMatch(/download_url|has not been built/)
    await app.post(`/sessions/${id}/pause`)
  })
})
