import { describe, expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { asker, question } from '../../support/sessions/asking.ts'

const { app, create, atWork } = await agentsAtWork()
const { rowOf } = asker(app)

const ask = async (id: number, requestId: string) => {
  const answer = await app.post('/elicitations', question(requestId, { meta: { 'com.acme/session-id': id } }))
  expect(answer.status).toBe(201)
  return { request_id: requestId, action_type: 'accept', content: { ok: true } }
}

describe('respond_to_elicitation', () => {
  test('respond_to_elicitation answers with an API key as over REST', async () => {
    const id = await create('say hello')
    const { text, isError } = await mcpClient(app).call('respond_to_elicitation', await ask(id, 'by-key'))
    expect([isError, text]).toEqual([false, expect.stringContaining('action: accept')])
    expect(await rowOf('by-key')).toMatchObject({ status: 'accept', response_content: { ok: true } })
  })

  test("respond_to_elicitation refuses the asking session's own key, a session that is not a descendant, and what a descendant's agent asks itself", async () => {
    const other = await create('say hello')
    const { id, clientOf } = await atWork(onRoot('lead'))
    const lead = clientOf('yardmaster')
    expect(await lead.call('respond_to_elicitation', await ask(id, 'own'))).toEqual({
      isError: true,
      text: 'A session cannot answer its own question; a person has to',
    })
    expect((await lead.call('respond_to_elicitation', await ask(other, 'of-another'))).isError).toBe(true)
    for (const requestId of ['own', 'of-another']) expect((await rowOf(requestId)).status).toBe('pending')

    const child = Number(/- id: (\d+)/.exec((await lead.call('start_session', { agent_root: 'api' })).text)?.[1])
    expect((await lead.call('respond_to_elicitation', await ask(child, 'of-child'))).isError).toBe(false)
    expect((await rowOf('of-child')).status).toBe('accept')

    const permission = await ask(child, 'permission-of-child')
    await app.pool.query(
      `update elicitations set asked_by = 'agent', run_marker = 'a run' where request_id = 'permission-of-child'`,
    )
    expect(await lead.call('respond_to_elicitation', permission)).toEqual({
      isError: true,
      text: 'The agent asks for a permission; only a person can give it',
    })
    expect((await rowOf('permission-of-child')).status).toBe('pending')
    await app.post(`/sessions/${id}/archive`, { force: true })
  })

  test('respond_to_elicitation is not offered to an agent without children', async () => {
    const { id, clientOf } = await atWork(onRoot('other'))
    const names = (await clientOf('yardmaster-self-session').tools()).map(({ name }: { name: string }) => name)
    expect(names).not.toContain('respond_to_elicitation')
    await app.post(`/sessions/${id}/archive`, { force: true })
  })
})
