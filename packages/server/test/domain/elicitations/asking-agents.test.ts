import { describe, expect, test } from 'vitest'
import { closeOverdue } from '../../../src/domain/elicitations/sweep.ts'
import { testApp } from '../../support/app/app.ts'
import { agentGate } from '../../support/sessions/agent-gate.ts'
import { asker } from '../../support/sessions/asking.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { textOf } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { respond, rowOf, sessionOf } = asker(app)
const { create, reaches, settled, turns, messages, logs, say, effects } = sessionHelpers(app)

const overdue = (requestId: string) =>
  app.pool.query(`update elicitations set expires_at = now() - interval '1 s' where request_id = $1`, [requestId])
const transitionsOf = async (id: number) =>
  (await app.pool.query('select cause from session_transitions where session_id = $1 order by id', [id])).rows.map(
    ({ cause }) => cause,
  )

/** The question of a session's agent. */
const questionOf = (id: number) =>
  eventually(
    async () => (await app.get(`/elicitations?session_id=${id}&status=pending`)).body.elicitations[0],
    (found) => found !== undefined,
  )

describe('a session that is blocked on a question', () => {
  test('a follow-up is queued, and delivered after the agent got its answer and ended its turn', async () => {
    const id = await create(`ask Shall I go on?\n${effects.doing('went-on')}`)
    const { request_id: requestId } = await questionOf(id)
    expect((await say(id, effects.doing('follow-up'))).delivery).toBe('queued')
    expect((await messages(id)).map(({ status }) => status)).toEqual(['pending'])
    await respond(requestId, 'accept', { answer: 'yes' })
    await effects.isDone('follow-up')
    const done = await effects.done()
    expect(done.indexOf('went-on')).toBeLessThan(done.indexOf('follow-up'))
    await settled(id)
  })

  test('an interrupting message withdraws the question and ends the turn', async () => {
    const id = await create('ask Shall I go on?')
    const { request_id: requestId } = await questionOf(id)
    await say(id, effects.doing('instead'), { isImmediate: true })
    await effects.isDone('instead')
    await settled(id)
    expect(await rowOf(requestId)).toMatchObject({ status: 'cancel' })
    expect((await reaches(id, 'needs_input')).metadata).not.toHaveProperty('lost_elicitation')
  })
})

test('a restart of a session that is blocked on a question withdraws the question, and one turn follows', async () => {
  const id = await create('ask Shall I go on?')
  const { request_id: requestId } = await questionOf(id)
  expect((await app.post(`/sessions/${id}/restart`)).status).toBe(200)
  await eventually(
    () => rowOf(requestId),
    ({ status }) => status === 'cancel',
  )
  await settled(id)
  const { metadata } = await reaches(id, 'needs_input')
  for (const key of ['blocked_on_elicitation', 'lost_elicitation']) expect(metadata).not.toHaveProperty(key)
  expect(await turns(id)).toMatchObject([{ withdrawn_by: 'restart', outcome: 'interrupted' }, { source: 'recovery' }])
})

describe('ask, a command of the demo agent', () => {
  test('ask waits for the answer over REST, and the agent goes on with it', async () => {
    const id = await create('ask Which colour?\nsay done')
    const pending = await questionOf(id)
    expect(pending).toMatchObject({ message: 'Which colour?', asked_by: 'mcp_server', tool_name: 'ask' })
    expect((await sessionOf(id)).status).toBe('needs_input')
    expect((await respond(pending.request_id, 'accept', { answer: 'blue' })).status).toBe(200)
    await settled(id)
    const text = await textOf(app, id)
    expect(text).toContain('Answer: blue')
    expect((await rowOf(pending.request_id)).delivered_at).not.toBeNull()
    expect(await reaches(id, 'needs_input')).toMatchObject({ status: 'needs_input' })
    expect(await transitionsOf(id)).toEqual(['turn_started', 'elicitation_asked', 'elicitation_answered', 'turn_ended'])
    const { rows } = await app.pool.query('select from elicitation_tokens where session_id = $1', [id])
    expect(rows).toEqual([])
  })

  test('ask that is declined or expires tells the agent no, and the turn goes on', async () => {
    const declined = await create('ask Really?')
    await respond((await questionOf(declined)).request_id, 'decline')
    const expired = await create('ask Still there?')
    await overdue((await questionOf(expired)).request_id)
    await closeOverdue(app.host.app)
    for (const id of [declined, expired]) await settled(id)
    expect(await textOf(app, declined)).toContain('No answer: decline')
    expect(await textOf(app, expired)).toContain('No answer: expired')
    expect((await sessionOf(expired)).metadata.lost_elicitation).toMatchObject({ reason: 'expired' })
  })

  test('an agent that dies while it asks leaves lost_elicitation with the reason stranded, and a restart removes it', async () => {
    const id = await create('ask Anyone?')
    const { request_id: requestId } = await questionOf(id)
    const [turn] = await turns(id)
    process.kill(Number(turn?.pid), 'SIGKILL')
    await settled(id)
    expect(await rowOf(requestId)).toMatchObject({ status: 'expired', lost_reason: 'stranded' })
    const session = await reaches(id, 'failed')
    expect(session.metadata).not.toHaveProperty('blocked_on_elicitation')
    expect(session.metadata.lost_elicitation).toMatchObject({ reason: 'stranded', request_id: requestId })
    await app.post(`/sessions/${id}/restart`)
    expect((await sessionOf(id)).metadata).not.toHaveProperty('lost_elicitation')
    await app.post(`/sessions/${id}/archive`, { force: true })
    await settled(id)
  })

  test('an answer that the agent never fetched is reported as lost when its turn ends', async () => {
    const gate = agentGate(app.shared)
    const id = await create(
      'run curl -s -o /dev/null -H "content-type: application/json" ' +
        `-d '{"message": "Ok?", "_meta": {"com.acme/request-id": "unfetched"}}' $ELICITATION_REQUEST_URL; ${gate.command}`,
    )
    await questionOf(id)
    await respond('unfetched', 'accept')
    await gate.open()
    await settled(id)
    expect((await reaches(id, 'needs_input')).metadata.lost_elicitation).toMatchObject({
      reason: 'stranded',
      request_id: 'unfetched',
    })
    expect((await logs(id)).join()).toContain('The answer did not reach the agent: Ok?')
  })

  test('the token that an agent prints is redacted from its transcript', async () => {
    const id = await create(
      'run printenv | grep ^ELICITATION_; printenv ELICITATION_REQUEST_URL | sed "s/.*yme_//" | rev',
    )
    await settled(id)
    const text = await textOf(app, id)
    expect(text).toContain(`ELICITATION_SESSION_ID=${id}`)
    expect(text).toContain('ELICITATION_PREFER_HTTP_FALLBACK=true')
    expect(text).toContain('ELICITATION_TTL_MS=3600000')
    expect(text).toContain('ELICITATION_POLL_URL=')
    expect(text).not.toMatch(/yme_[\w-]/)
  })
})

describe('permissions: "ask" with the demo agent', () => {
  const asking = { config: { permissions: 'ask' } }

  test('permissions: "ask" makes the agent ask for each tool; accepted over REST it goes on, declined it goes on without', async () => {
    const id = await create(`${effects.doing('granted')}\n${effects.doing('declined')}\nsay over`, asking)
    const first = await questionOf(id)
    expect(first).toMatchObject({
      message: expect.stringContaining('May the demo agent do this? run echo granted'),
      tool_name: 'run',
      asked_by: 'agent',
    })
    expect(await sessionOf(id)).toMatchObject({ status: 'needs_input', metadata: { blocked_on_elicitation: true } })
    await respond(first.request_id, 'accept')
    const second = await eventually(
      () => questionOf(id),
      ({ request_id }) => request_id !== first.request_id,
    )
    await respond(second.request_id, 'decline')
    await settled(id)
    expect(await effects.done()).toContain('granted')
    expect(await effects.done()).not.toContain('declined')
    expect(await textOf(app, id)).toMatch(/I may not: run echo declined[\s\S]*over/)
    for (const requestId of [first.request_id, second.request_id])
      expect((await rowOf(requestId)).delivered_at).not.toBeNull()
  })

  test('permissions: "ask" declines a question at its expiry, and the session says so', async () => {
    const id = await create(`${effects.doing('unanswered')}\nsay over`, asking)
    const { request_id: requestId } = await questionOf(id)
    await overdue(requestId)
    await settled(id)
    expect(await effects.done()).not.toContain('unanswered')
    expect((await reaches(id, 'needs_input')).metadata.lost_elicitation).toMatchObject({
      reason: 'expired',
      request_id: requestId,
    })
    expect((await logs(id)).join()).toContain('No person answered in time')
  })

  test('permissions: "ask" withdraws the question of a turn that is interrupted', async () => {
    const id = await create(effects.doing('never'), asking)
    const { request_id: requestId } = await questionOf(id)
    await app.post(`/sessions/${id}/archive`, { force: true })
    await settled(id)
    expect(await rowOf(requestId)).toMatchObject({ status: 'cancel' })
    expect((await logs(id)).join()).not.toContain('did not reach the agent')
    expect(await effects.done()).not.toContain('never')
  })

  test('permissions that are not "ask" are rejected with 422', async () => {
    const answer = await app.post('/sessions', {
      git_root: '/srv/x',
      agent_runtime: 'demo',
      config: { permissions: 'all' },
    })
    expect(answer).toMatchObject({ status: 422, body: { messages: ['Config permissions must be ask, or absent'] } })
  })
})
