import { describe, expect, test } from 'vitest'
import { atRest, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { agentYard } from './support/agent-yard.ts'
import { type Agent, agents } from './support/agents.ts'

// The agents ask people, by their own protocols, and people answer over REST.

const { app, begin, logs } = agentYard()

const asking = ({ model }: Agent) => ({ config: { model, permissions: 'ask' } })

/** The pending question of a session, other than those already seen. */
function questionOf(id: number, seen: readonly string[] = []) {
  return eventually(
    async () =>
      (await app.get(`/elicitations?session_id=${id}&status=pending`)).body.elicitations.find(
        ({ request_id }: { request_id: string }) => !seen.includes(request_id),
      ),
    (found) => found !== undefined,
  )
}

const answer = (requestId: string, action_type: string, content?: unknown) =>
  app.patch(`/elicitations/${requestId}/respond`, { action_type, content })

describe.each(agents)('$runtime with permissions "ask"', (agent) => {
  test('asks before it writes, goes on when a person accepts, and goes without when a person declines', async () => {
    const id = await begin(
      agent,
      'run touch granted-file && echo was granted\nrun touch declined-file && echo was declined\nsay The end',
      asking(agent),
    )
    const first = await questionOf(id)
    expect(first).toMatchObject({ asked_by: 'agent', message: expect.stringContaining('touch granted-file') })
    expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({
      status: 'needs_input',
      metadata: { blocked_on_elicitation: true },
    })
    expect((await answer(first.request_id, 'accept')).status).toBe(200)
    const second = await questionOf(id, [first.request_id])
    expect(second.message).toContain('touch declined-file')
    expect((await answer(second.request_id, 'decline')).status).toBe(200)
    expect(await atRestAfterTurn(id)).toMatchObject({ status: 'needs_input' })
    const text = await textOf(app, id)
    expect(text).toMatch(/\[tool_result\][^\n]*was granted|was granted/)
    expect(text).not.toMatch(/\[tool_result\][^\n]*\bwas declined/)
  })

  test('is declined when no person answers in time, and the session says so', async () => {
    const id = await begin(agent, 'run touch late-file && echo was late\nsay The end', asking(agent))
    const { id: elicitation, request_id: requestId } = await questionOf(id)
    await app.pool.query(`update elicitations set expires_at = now() - interval '1 s' where id = $1`, [elicitation])
    const session = await atRestAfterTurn(id)
    expect(session.metadata.lost_elicitation).toMatchObject({ reason: 'expired', request_id: requestId })
    expect(await logs(id)).toContain('No person answered in time')
  })
})

test('Claude Code asks the user a question, and gets the chosen option', async () => {
  const agent = agents.find(({ runtime }) => runtime === 'runtime_alpha')
  if (!agent) throw new Error('runtime_alpha is not installed')
  const question = {
    question: 'Which colour?',
    header: 'Colour',
    multiSelect: false,
    options: [
      { label: 'Red', description: 'Like fire' },
      { label: 'Blue', description: 'Like the sea' },
    ],
  }
  const id = await begin(
    agent,
    `tool AskUserQuestion ${JSON.stringify({ questions: [question] })}\nsay The end`,
    asking(agent),
  )
  const asked = await questionOf(id)
  expect(asked).toMatchObject({ message: 'Which colour?', tool_name: 'AskUserQuestion' })
  expect((await answer(asked.request_id, 'accept', { answer: 'Green' })).status).toBe(422)
  expect((await answer(asked.request_id, 'accept', { answer: 'Blue' })).status).toBe(200)
  expect(await atRestAfterTurn(id)).toMatchObject({ status: 'needs_input' })
  expect(await textOf(app, id)).toMatch(/\[tool_result\][^\n]*Blue/)
})

/** A session that asks needs input too, so this waits for the end of the turn. */
async function atRestAfterTurn(id: number) {
  await eventually(
    async () => (await app.pool.query(`select from turns where session_id = $1 and state <> 'ended'`, [id])).rowCount,
    (open) => open === 0,
  )
  return atRest(app, id)
}
