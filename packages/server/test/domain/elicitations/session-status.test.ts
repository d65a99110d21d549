import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { issueToken, settleRun } from '../../../src/domain/elicitations/elicitation.ts'
import { openReachability } from '../../../src/domain/elicitations/reachability.ts'
import { closeOverdue, closeSilent, sweep } from '../../../src/domain/elicitations/sweep.ts'
import { sendHeartbeat } from '../../../src/domain/heartbeats/send-heartbeat.ts'
import { refreshAll } from '../../../src/domain/lifecycle/refresh-all.ts'
import { lockSession, transition } from '../../../src/domain/sessions/session.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { asker, question } from '../../support/sessions/asking.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { raise, poll, running, asked, respond, rowOf, sessionOf } = asker(app)
const { turns, logs } = sessionHelpers(app)

const overdue = (requestId: string) =>
  app.pool.query(`update elicitations set expires_at = now() - interval '1 s' where request_id = $1`, [requestId])
const transitionsOf = async (id: number) =>
  (await app.pool.query('select cause from session_transitions where session_id = $1 order by id', [id])).rows.map(
    ({ cause }) => cause,
  )

describe('a question of a running session', () => {
  test('a question moves the session to needs_input with its turn, and the answer to the last one back to running', async () => {
    const { id, token } = await running({ running_job_id: randomUUID() })
    const { running_job_id: turnId } = await sessionOf(id)
    const [first, second] = [await asked(token), await asked(token)]
    expect(await sessionOf(id)).toMatchObject({
      status: 'needs_input',
      running_job_id: turnId,
      metadata: { blocked_on_elicitation: true },
    })
    await respond(first, 'accept')
    expect((await sessionOf(id)).status).toBe('needs_input')
    await respond(second, 'decline')
    const after = await sessionOf(id)
    expect(after).toMatchObject({ status: 'running', running_job_id: turnId })
    expect(after.metadata).not.toHaveProperty('blocked_on_elicitation')
    expect(after.metadata).not.toHaveProperty('lost_elicitation')
    expect(await transitionsOf(id)).toEqual(['elicitation_asked', 'elicitation_answered'])
  })

  test('a question that expires releases the session and leaves lost_elicitation, which a new question removes', async () => {
    const { id, token } = await running()
    const requestId = await asked(token, { message: 'x'.repeat(400) })
    await overdue(requestId)
    await closeOverdue(app.host.app)
    expect(await sessionOf(id)).toMatchObject({
      status: 'running',
      metadata: {
        lost_elicitation: { reason: 'expired', request_id: requestId, summary: `${'x'.repeat(299)}…` },
      },
    })
    expect((await logs(id)).join()).toContain('No person answered in time')
    await asked(token)
    expect((await sessionOf(id)).metadata).not.toHaveProperty('lost_elicitation')
  })

  test('a question that expires leaves no mark while another is pending', async () => {
    const { id, token } = await running()
    const [first] = [await asked(token), await asked(token)]
    await overdue(first)
    await closeOverdue(app.host.app)
    expect(await sessionOf(id)).toMatchObject({ status: 'needs_input', metadata: { blocked_on_elicitation: true } })
    expect((await sessionOf(id)).metadata).not.toHaveProperty('lost_elicitation')
  })

  test('a question expires once under concurrent sweeps, polls and answers', async () => {
    const { id, token } = await running()
    const requestId = await asked(token)
    await overdue(requestId)
    app.host.app.questions.forget(id)
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => closeOverdue(app.host.app)),
      ...Array.from({ length: 4 }, () => poll(token, requestId)),
      ...Array.from({ length: 4 }, () => respond(requestId, 'accept')),
    ])
    expect(answers).toHaveLength(12)
    expect(await transitionsOf(id)).toEqual(['elicitation_asked', 'elicitation_answered'])
    expect(await rowOf(requestId)).toMatchObject({ status: 'expired', lost_reason: 'expired' })
  })

  test('an MCP server that stopped polling is noticed: its question is stranded, and the session says so', async () => {
    const { id, token } = await running()
    const [gone, alive] = [await asked(token, { message: 'Gone?' }), await asked(token)]
    await app.pool.query(`update elicitations set polled_at = now() - interval '121 s' where session_id = $1`, [id])
    app.host.app.questions.forget(id)
    await poll(token, alive)
    await closeSilent(app.host.app)
    expect(await rowOf(gone)).toMatchObject({ status: 'expired', lost_reason: 'stranded' })
    expect(await rowOf(alive)).toMatchObject({ status: 'pending' })
    await respond(alive, 'accept')
    expect((await poll(token, gone)).body.action).toBe('expired')
  })

  test('a question of a caller with a key is not stranded, because its asker may poll rarely', async () => {
    const { id } = await running()
    const requestId = randomUUID()
    await app.post('/elicitations', question(requestId, { meta: { 'com.acme/session-id': id } }))
    await app.pool.query(`update elicitations set polled_at = now() - interval '10 min' where session_id = $1`, [id])
    await closeSilent(app.host.app)
    expect(await sessionOf(id)).toMatchObject({ status: 'needs_input', metadata: { blocked_on_elicitation: true } })
  })

  test('an outage of the service is not the silence of an asker: its question is stranded only after the whole time', async () => {
    const { token } = await running()
    const requestId = await asked(token)
    await app.pool.query(`update elicitations set polled_at = now() - interval '10 min' where request_id = $1`, [
      requestId,
    ])
    let now = Date.now()
    const { questions } = app.host.app
    const afterOutage = {
      ...app.host.app,
      questions: { ...questions, reachable: openReachability({ now: () => new Date(now) }) },
    }
    for (let seconds = 0; seconds < 120; seconds += 15) {
      await sweep(afterOutage)
      expect(await rowOf(requestId)).toMatchObject({ status: 'pending' })
      now += 15_000
    }
    await sweep(afterOutage)
    expect(await rowOf(requestId)).toMatchObject({ status: 'expired', lost_reason: 'stranded' })
  })

  test('archiving withdraws pending questions and revokes the token at once', async () => {
    const { id, token } = await running()
    const requestId = await asked(token)
    expect((await poll(token, requestId)).status).toBe(200)
    expect((await app.post(`/sessions/${id}/archive`)).status).toBe(200)
    expect(await rowOf(requestId)).toMatchObject({ status: 'cancel', lost_reason: null })
    expectProblem(await poll(token, requestId), 401, 'Unauthorized')
    expectProblem(await raise(token, question('late')), 401, 'Unauthorized')
    const { metadata } = await sessionOf(id)
    expect(metadata).not.toHaveProperty('blocked_on_elicitation')
    expect(metadata).not.toHaveProperty('lost_elicitation')
  })

  test('a token stays revoked when its session returns from the archive', async () => {
    const { id, token } = await running()
    const requestId = await asked(token)
    await app.post(`/sessions/${id}/archive`)
    expect((await app.post(`/sessions/${id}/unarchive`)).status).toBe(200)
    expectProblem(await poll(token, requestId), 401, 'Unauthorized')
    expectProblem(await raise(token, question('late-again')), 401, 'Unauthorized')
  })

  test('deleting the session deletes its questions', async () => {
    const { id, token } = await running()
    const requestId = await asked(token)
    await app.delete(`/sessions/${id}`)
    expect(await rowOf(requestId)).toBeUndefined()
    await eventually(
      () => poll(token, requestId),
      ({ status }) => status === 401,
    )
  })

  test('each run has a token of its own, and only its digest is stored', async () => {
    const { id, token } = await running()
    const next = await transact(app.host.app.db, (tx) =>
      issueToken(app.host.app, tx, { sessionId: id, marker: randomUUID() }),
    )
    expect(next).not.toBe(token)
    expectProblem(await raise(token, question('old')), 401, 'Unauthorized')
    await asked(next)
    const { rows } = await app.pool.query(
      `select count(*)::int as count from elicitation_tokens as t, elicitations as e
       where t::text || e::text like '%' || $1 || '%'`,
      [next],
    )
    expect(rows).toEqual([{ count: 0 }])
  })

  test('secrets in a question are redacted before it is stored', async () => {
    const { token } = await running()
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    const requestId = await asked(token, {
      message: `Use ${secret}?`,
      requestedSchema: { type: 'object', properties: { it: { type: 'string', default: secret } } },
      meta: { 'com.acme/context': `because ${secret}` },
    })
    expect(JSON.stringify(await rowOf(requestId))).not.toContain(secret)
    expect((await rowOf(requestId)).requested_schema.properties.it.type).toBe('string')
  })
})

test('a lost question is no longer reported once the turn is handed over to the next prompt', async () => {
  const { id, token } = await running()
  await overdue(await asked(token))
  await closeOverdue(app.host.app)
  expect((await sessionOf(id)).metadata).toHaveProperty('lost_elicitation')
  await transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId: id, cause: 'turn_handed_over' }))
  expect((await sessionOf(id)).metadata).not.toHaveProperty('lost_elicitation')
})

describe('a session that is blocked on a question', () => {
  test('a pause stops the turn of a session that waits for a person, and its question is no longer asked', async () => {
    const { id, token } = await running()
    await asked(token)
    const answer = await app.post(`/sessions/${id}/pause`)
    expect(answer).toMatchObject({
      status: 200,
      body: { session: { status: 'needs_input', metadata: { paused_by: 'user' } } },
    })
    expect(answer.body.session.metadata).not.toHaveProperty('blocked_on_elicitation')
    const { rows } = await app.pool.query('select withdrawn_by from turns where session_id = $1', [id])
    expect(rows).toEqual([{ withdrawn_by: 'pause' }])
  })

  test('a restart of a session that waits for a person ends its turn, withdraws the question and reports no loss', async () => {
    const { id, token, marker } = await running()
    const requestId = await asked(token)
    const { status, body } = await app.post(`/sessions/${id}/restart`)
    expect([status, body.session.status]).toEqual([200, 'waiting'])
    await transact(app.host.app.db, async (tx) =>
      settleRun(app.host.app, tx, await lockSession(tx, { id }), { marker, isWithdrawn: true }),
    )
    expect(await rowOf(requestId)).toMatchObject({ status: 'cancel', lost_reason: null })
    const { status: current, metadata } = await sessionOf(id)
    expect(current).toBe('waiting')
    for (const mark of ['blocked_on_elicitation', 'lost_elicitation']) expect(metadata).not.toHaveProperty(mark)
  })

  test('a heartbeat, a refresh of all and a sleep do not start a second turn', async () => {
    const { id, token } = await running()
    await asked(token)
    await app.pool.query('update sessions set heartbeat_enabled = true where id = $1', [id])
    expect(await sendHeartbeat(app.host.app, id)).toBe(false)
    await app.pool.query('update sessions set heartbeat_enabled = false where id = $1', [id])
    await refreshAll(app.host.app, {})
    expect((await app.post(`/sessions/${id}/sleep`)).body.session).toMatchObject({
      status: 'needs_input',
      metadata: { pending_sleep: true, blocked_on_elicitation: true },
    })
    expect(await turns(id)).toHaveLength(1)
  })
})
