import { limits } from '@yardmaster/contract/limits'
import { describe, expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'

const { app, api, create, atWork } = await agentsAtWork()

describe('force_immediate and unarchive_parent', () => {
  const sentence = (name: string) => `${name} is not for agents, unless their root allows it (allow_agents)`
  const interrupting = (tools: { name: string; inputSchema: { properties: Record<string, { enum?: string[] }> } }[]) =>
    tools.find(({ name }) => name === 'manage_enqueued_messages')?.inputSchema.properties.action?.enum

  test('force_immediate and unarchive_parent are refused to agents with a sentence, and so is an interrupting message', async () => {
    const parent = await create('say hello')
    const { id, clientOf } = await atWork({ ...onRoot('lead'), parent_session_id: parent })
    const lead = clientOf('yardmaster')
    const report = { action: 'message_parent', message: 'Help', reason: 'other' }

    for (const name of ['force_immediate', 'unarchive_parent'])
      expect(await lead.call('action_session', { ...report, [name]: true })).toEqual({
        isError: true,
        text: sentence(name),
      })
    expect(await lead.call('action_session', { action: 'follow_up', prompt: 'x', force_immediate: true })).toEqual({
      isError: true,
      text: sentence('force_immediate'),
    })
    const tools = await lead.tools()
    expect(interrupting(tools)).not.toContain('interrupt')
    expect(JSON.stringify(tools)).not.toMatch(/force_immediate|unarchive_parent/)
    await app.post(`/sessions/${id}/pause`)
  })

  test('force_immediate and unarchive_parent are offered to agents whose root allows them', async () => {
    const { id, clientOf } = await atWork(onRoot('chief'))
    const chief = clientOf('yardmaster')
    const child = Number(/- id: (\d+)/.exec((await chief.call('start_session', { agent_root: 'api' })).text)?.[1])

    const said = { action: 'follow_up', session_id: child, prompt: 'say now', force_immediate: true }
    expect(await chief.call('action_session', said)).toMatchObject({ isError: false })
    expect(interrupting(await chief.tools())).toContain('interrupt')
    await app.post(`/sessions/${id}/pause`)
  })

  test('force_immediate and unarchive_parent are open to an API key', async () => {
    expect(JSON.stringify(await mcpClient(app).tools())).toMatch(/force_immediate[\s\S]*unarchive_parent/)
  })
})

describe('the children of an agent', () => {
  const { perSession, perTree } = limits.agentChildren
  const start = (client: ReturnType<typeof mcpClient>) => client.call('start_session', { agent_root: 'api' })
  const addChildren = (parent: number, count: number) =>
    app.pool.query(
      `insert into sessions (git_root, branch, agent_runtime, genesis, status, parent_session_id)
       select '/tmp/none', 'main', 'demo', 'api', 'needs_input', $1 from generate_series(1, $2)`,
      [parent, count],
    )

  test('the children of an agent are limited per session under concurrent starts, and an archived one does not count', async () => {
    const { id, clientOf } = await atWork(onRoot('lead'))
    await addChildren(id, perSession - 3)
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(clientOf('yardmaster'))))
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(3)
    expect(answers.find(({ isError }) => isError)?.text).toBe(
      `Session ${id} has ${perSession} children, the most an agent may have; archive some`,
    )
    await app.pool.query(
      "update sessions set status = 'archived', archived_at = now() where id = (select max(id) from sessions where parent_session_id = $1)",
      [id],
    )
    expect((await start(clientOf('yardmaster'))).isError).toBe(false)
    expect((await start(clientOf('yardmaster'))).isError).toBe(true)
    expect((await app.post('/sessions', { git_root: api, parent_session_id: id })).status).toBe(201)
    await app.post(`/sessions/${id}/pause`)
  })

  test('the children of an agent are limited per tree, whichever of its sessions starts them', async () => {
    const top = await create('say hello')
    const { id, clientOf } = await atWork({ ...onRoot('lead'), parent_session_id: top })
    await addChildren(top, perTree - 3)
    expect((await start(clientOf('yardmaster'))).isError).toBe(false)
    expect((await start(clientOf('yardmaster'))).text).toBe(
      `The tree of session ${id} has ${perTree} sessions, the most agents may make; archive some`,
    )
    await app.post(`/sessions/${id}/pause`)
  })
})
