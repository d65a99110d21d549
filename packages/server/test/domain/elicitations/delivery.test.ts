import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { settleRun, verifyToken } from '../../../src/domain/elicitations/elicitation.ts'
import { recordHandOut, takeBack } from '../../../src/domain/elicitations/elicitation-store.ts'
import { lockSession } from '../../../src/domain/sessions/session.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { asker, askPath } from '../../support/sessions/asking.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { poll, running, asked, respond, rowOf, sessionOf } = asker(app)

test('an answer that its poller did not wait for counts as not delivered, until a later poll gets it', async () => {
  const { id, token, marker } = await running()
  const requestId = await asked(token)
  await respond(requestId, 'accept', { confirm: true })
  const { rowCount } = await disconnectedPoll(token, requestId)
  expect(rowCount).toBe(1)
  await eventually(
    () => rowOf(requestId),
    ({ delivered_at }) => delivered_at === null,
  )
  const deliver = () => poll(token, requestId)
  expect((await deliver()).body.action).toBe('accept')
  expect((await rowOf(requestId)).delivered_at).not.toBeNull()
  // Another poller goes away while the answer is delivered already.
  const other = await asked(token)
  await respond(other, 'accept', { confirm: true })
  await disconnectedPoll(token, other)
  await eventually(
    () => rowOf(other),
    ({ delivered_at }) => delivered_at === null,
  )
  await transact(app.host.app.db, async (tx) =>
    settleRun(app.host.app, tx, await lockSession(tx, { id }), { marker, isWithdrawn: false }),
  )
  expect((await sessionOf(id)).metadata.lost_elicitation).toMatchObject({ reason: 'stranded', request_id: other })
})

test('a poll by a token that was revoked answers 401 also while the host remembers it', async () => {
  const { id, token } = await running()
  const requestId = await asked(token)
  await verifyToken(app.host.app, token)
  await app.pool.query('delete from elicitation_tokens where session_id = $1', [id])
  expectProblem(await poll(token, requestId), 401, 'Unauthorized')
})

test('a poller that goes away does not undo the delivery to the next one', async () => {
  const { token } = await running()
  const requestId = await asked(token)
  await respond(requestId, 'accept', { confirm: true })
  const { id } = await rowOf(requestId)
  const first = await recordHandOut(app.host.app.db, id)
  await poll(token, requestId)
  await takeBack(app.host.app.db, id, first ?? '')
  expect((await rowOf(requestId)).delivered_at).not.toBeNull()
})

/** Polls, and disconnects while the answer is being made: the row is locked until then. */
async function disconnectedPoll(token: string, requestId: string) {
  const client = await app.pool.connect()
  try {
    await client.query('begin')
    const locked = await client.query('select from elicitations where request_id = $1 for update', [requestId])
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.write(`GET ${askPath}/session/${token}/${requestId} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await eventually(
      () =>
        app.pool.query(`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
      (waiting) => waiting.rowCount === 1,
    )
    socket.destroy()
    await once(socket, 'close')
    await client.query('commit')
    return locked
  } finally {
    client.release()
  }
}
