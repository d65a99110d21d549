import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { framedReport, parentReports } from '../../support/sessions/parent-reports.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, reaches, turns, messages, logs, settled, effects } = sessionHelpers(app)

const { report, reportWithoutEffect, childOf, parentIn } = parentReports(app)
const label = 'Cannot message parent'

describe('POST /sessions/:id/message_parent answers 200', () => {
  test('POST /sessions/:id/message_parent answers 200 and makes the report the next turn of a resting parent, whose goal stays', async () => {
    const parent = await rested({ goal: 'All green' })
    const child = await childOf(parent, { title: 'Fix parser' })
    const { status, body } = await report(child, { reason: 'wrong_scope' })
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['parent_session', 'delivery', 'unarchived_parent', 'message'])
    expect(body).toMatchObject({
      parent_session: { id: parent, status: 'waiting', goal: 'All green', running_job_id: expect.any(String) },
      delivery: 'sent',
      unarchived_parent: false,
      message: `Report delivered to parent session #${parent}.`,
    })
    const prompt = framedReport(
      child,
      `#${child} ("Fix parser")`,
      'its task is outside its scope (wrong_scope)',
      '> The repository is empty.',
    )
    expect(body.parent_session.prompt).toBe(prompt)
    await reaches(parent, 'needs_input')
    expect(await turns(parent)).toMatchObject([{}, { prompt, source: 'follow_up', outcome: 'completed' }])
    expect(await messages(parent)).toEqual([])
    expect((await app.pool.query('select from uncle_links')).rowCount).toBe(0)
  })

  test('POST /sessions/:id/message_parent answers 200 and logs the report in both sessions', async () => {
    const parent = await parentIn('needs_input')
    const child = await childOf(parent)
    await report(child, { reason: 'missing_tools' })
    await settled(parent)
    const how = '(reason: missing_tools, by api_v1:sessions.message_parent): sent.'
    expect(await logs(child)).toEqual([`This session #${child} reported to its parent session #${parent} ${how}`])
    expect(await logs(parent)).toContain(`Child session #${child} reported to this session #${parent} ${how}`)
  })

  test('POST /sessions/:id/message_parent answers 200 and wakes a sleeping parent', async () => {
    const parent = await insertSession(app.pool, {
      status: 'waiting',
      metadata: { deliberate_sleep_at: '2026-08-22T18:09:42Z' },
    })
    const { status, body } = await report(await childOf(parent), {})
    expect([status, body.delivery]).toEqual([200, 'sent'])
    expect(body.parent_session.metadata).not.toHaveProperty('deliberate_sleep_at')
    await settled(parent)
  })

  test('POST /sessions/:id/message_parent answers 200 and interrupts the turn of a running parent with force_immediate', async () => {
    const { id: parent } = await busy()
    const { status, body } = await report(await childOf(parent), { force_immediate: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      delivery: 'interrupted',
      message: `Report delivered to parent session #${parent} immediately; a turn it was in was ended.`,
      parent_session: { status: 'waiting' },
    })
    expect(body).not.toHaveProperty('enqueued_message')
    await settled(parent)
    expect(await turns(parent)).toMatchObject([
      { outcome: 'interrupted' },
      { outcome: 'completed', id: body.parent_session.running_job_id },
    ])
  })

  test('POST /sessions/:id/message_parent answers 200 and restores an archived parent first with unarchive_parent', async () => {
    const parent = await rested()
    await app.pool.query("update sessions set status = 'archived', archived_at = now() where id = $1", [parent])
    const { status, body } = await report(await childOf(parent), { unarchive_parent: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      delivery: 'sent',
      unarchived_parent: true,
      message: `Report delivered to parent session #${parent}. The parent session was restored from the archive first.`,
      parent_session: { id: parent, status: 'waiting', archived_at: null },
    })
    await reaches(parent, 'needs_input')
    expect(await logs(parent)).toContain('Unarchived.')
  })

  test('POST /sessions/:id/message_parent answers 200 and ignores unarchive_parent if the parent is not archived', async () => {
    const { status, body } = await report(await childOf(await parentIn('needs_input')), { unarchive_parent: true })
    expect([status, body.unarchived_parent]).toEqual([200, false])
    await settled(body.parent_session.id)
  })

  test('POST /sessions/:id/message_parent answers 200 for a child that is named by its slug or is archived', async () => {
    const parent = await parentIn('needs_input')
    await childOf(parent, { slug: 'the-child', status: 'archived', archived_at: new Date() })
    expect((await report('the-child', {})).status).toBe(200)
    await settled(parent)
  })
})

describe('POST /sessions/:id/message_parent answers 202', () => {
  test('POST /sessions/:id/message_parent answers 202 and queues the report for a running parent, which gets it when its turn ends', async () => {
    const { id: parent, release } = await busy()
    const { status, body } = await report(await childOf(parent), {})
    expect(status).toBe(202)
    const [message] = await messages(parent)
    expect(message).toMatchObject({ status: 'pending', position: 1, origin: 'caller', goal: null })
    expect(body).toMatchObject({
      delivery: 'queued',
      unarchived_parent: false,
      parent_session: { id: parent, status: 'running' },
      message: `Report queued for parent session #${parent}. It will be read when that session's current turn ends.`,
    })
    expect(body.enqueued_message).toEqual({ id: Number(message?.id), position: 1, status: 'pending' })
    await release()
    await settled(parent)
    expect(await turns(parent)).toMatchObject([
      { outcome: 'completed' },
      { outcome: 'completed', prompt: message?.content },
    ])
  })

  test('POST /sessions/:id/message_parent answers 202 and queues concurrent reports of many children, each at its own position', async () => {
    const { id: parent, release } = await busy()
    const children = await Promise.all(Array.from({ length: 6 }, () => childOf(parent)))
    const answers = await Promise.all(children.map((child) => report(child, { message: effects.doing(child) })))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202])
    expect(answers.map(({ body }) => body.enqueued_message.position).sort()).toEqual([1, 2, 3, 4, 5, 6])
    await app.pool.query("update enqueued_messages set status = 'sent' where session_id = $1", [parent])
    await release()
    await settled(parent)
  })
})

describe('POST /sessions/:id/message_parent answers 422 and changes nothing', () => {
  test.each([undefined, null, '', '  \n '])(
    'POST /sessions/:id/message_parent answers 422 and changes nothing for the message %j',
    async (message) => {
      expectProblem(await reportWithoutEffect(await childOf(null), { message }), 422, label, 'message is required')
    },
  )

  test.each([undefined, null, '', 'bored', 'WRONG_SCOPE'])(
    'POST /sessions/:id/message_parent answers 422 and changes nothing for the reason %j',
    async (reason) => {
      expectProblem(
        await reportWithoutEffect(await childOf(null), { reason }),
        422,
        label,
        'reason must be one of: wrong_scope, missing_tools, other',
      )
    },
  )

  test('POST /sessions/:id/message_parent answers 422 and changes nothing and checks message, reason, length and parent in this order', async () => {
    const child = await childOf(null)
    const tooLong = 'm'.repeat(500_001)
    expectProblem(
      await reportWithoutEffect(child, { message: ' ', reason: 'bored' }),
      422,
      label,
      'message is required',
    )
    expect((await reportWithoutEffect(child, { message: tooLong, reason: 'bored' })).body.message).toMatch(
      /^reason must/,
    )
    expect((await reportWithoutEffect(child, { message: tooLong })).body.message).toMatch(/^message is too long/)
    expect((await reportWithoutEffect(child, {})).body.message).toMatch(/has no parent session$/)
  })

  test('POST /sessions/:id/message_parent answers 422 and changes nothing for a session without a parent', async () => {
    const child = await childOf(null)
    expectProblem(await reportWithoutEffect(child, {}), 422, label, `Session #${child} has no parent session`)
  })

  test('POST /sessions/:id/message_parent answers 422 and changes nothing for a session that is its own parent', async () => {
    const child = await childOf(null)
    await app.pool.query('update sessions set parent_session_id = id where id = $1', [child])
    expectProblem(await reportWithoutEffect(child, {}), 422, label, `Session #${child} is its own parent`)
  })

  test('POST /sessions/:id/message_parent answers 422 and changes nothing for an archived parent that cannot be restored', async () => {
    const parent = await insertSession(app.pool, {
      status: 'archived',
      archived_at: new Date(),
      git_root: '/nowhere/at/all',
      session_id: 'a-conversation',
    })
    const answer = await reportWithoutEffect(await childOf(parent), { unarchive_parent: true })
    expectProblem(answer, 422, label)
    expect(answer.body.message).toMatch(new RegExp(`^Parent session #${parent} could not be restored: `))
  })

  test.each([
    [{ message: 5 }, 'Message must be a string'],
    [{ reason: ['other'] }, 'Reason must be a string'],
    [{ force_immediate: 'maybe' }, 'Force immediate must be true or false'],
    [{ unarchive_parent: {} }, 'Unarchive parent must be true or false'],
  ])('POST /sessions/:id/message_parent answers 422 and changes nothing for the report %j', async (body, sentence) => {
    expectProblem(
      await reportWithoutEffect(await childOf(await parentIn('needs_input')), body),
      422,
      'Validation failed',
      sentence,
    )
  })
})

describe('POST /sessions/:id/message_parent answers 409 and delivers nothing', () => {
  test('POST /sessions/:id/message_parent answers 409 and delivers nothing for an archived parent, naming unarchive_parent', async () => {
    const parent = await parentIn('archived')
    for (const body of [{}, { unarchive_parent: false }, { unarchive_parent: null }, { force_immediate: true }]) {
      expectProblem(
        await reportWithoutEffect(await childOf(parent), body),
        409,
        label,
        `Parent session #${parent} is archived; send "unarchive_parent": true to restore it and deliver`,
      )
    }
  })

  test('POST /sessions/:id/message_parent answers 409 and delivers nothing for a failed parent, also with unarchive_parent or force_immediate', async () => {
    const parent = await parentIn('failed')
    for (const body of [{}, { unarchive_parent: true }, { force_immediate: true }]) {
      expectProblem(
        await reportWithoutEffect(await childOf(parent), body),
        409,
        label,
        `Parent session #${parent} is failed and cannot receive messages; restart it first`,
      )
    }
  })

  test('POST /sessions/:id/message_parent answers 409 and delivers nothing if a writer without the lock takes the same queue position', async () => {
    const { id: parent, release } = await busy()
    const child = await childOf(parent)
    const client = await app.pool.connect()
    try {
      await client.query('begin')
      await client.query("insert into enqueued_messages (session_id, content, position) values ($1, 'say mine', 1)", [
        parent,
      ])
      const answering = report(child, {})
      await untilBlocked()
      await client.query('commit')
      expectProblem(await answering, 409, label, 'Message position conflict, please retry')
    } finally {
      client.release()
    }
    expect(await messages(parent)).toHaveLength(1)
    expect(await logs(child)).toEqual([])
    await release()
    await settled(parent)
  })

  /** Resolves when a connection waits for a lock. */
  const untilBlocked = (): Promise<number> =>
    eventually(
      async () =>
        (
          await app.pool.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).rowCount ?? 0,
      (count) => count > 0,
    )

  test('POST /sessions/:id/message_parent answers 409 and delivers nothing for a parent that fails right after it is restored, and says that it was restored', async () => {
    const parent = await parentIn('archived')
    await app.pool.query(`
      create function fail_at_once() returns trigger language plpgsql as $$
      begin
        new.status := 'failed';
        return new;
      end
      $$;
      create trigger fail_at_once before update on sessions
        for each row when (old.id = ${parent} and old.status = 'archived') execute function fail_at_once();
    `)
    const answer = await report(await childOf(parent), { unarchive_parent: true })
    await app.pool.query('drop trigger fail_at_once on sessions')
    expectProblem(
      answer,
      409,
      label,
      `Parent session #${parent} is failed and cannot receive messages; restart it first`,
      `Parent session #${parent} was nevertheless restored from the archive`,
    )
    expect([await turns(parent), await messages(parent)]).toEqual([[], []])
  })
})

describe('POST /sessions/:id/message_parent answers', () => {
  test.each(['999999', 'no-such-session'])('404 for the unknown child %s', async (child) => {
    expectProblem(await reportWithoutEffect(child, {}), 404, 'Not Found', 'The requested resource was not found')
  })

  test('POST /sessions/:id/message_parent answers 401 without a key', async () => {
    expect((await app.send('/api/v1/sessions/1/message_parent', { method: 'POST' })).status).toBe(401)
  })
})

describe('a report during a concurrent change of the parent', () => {
  test('a report during a concurrent change of the parent is delivered or rejected with 422 if the parent is deleted', async () => {
    for (let round = 0; round < 4; round += 1) {
      const parent = await parentIn('needs_input')
      const child = await childOf(parent)
      const [reported, deleted] = await Promise.all([report(child, {}), app.delete(`/sessions/${parent}`)])
      expect(deleted.status).toBe(204)
      expect([200, 422]).toContain(reported.status)
      if (reported.status === 422) expectProblem(reported, 422, label)
    }
  })

  test('a report during a concurrent change of the parent is delivered or rejected with 409 if the parent is archived', async () => {
    for (let round = 0; round < 4; round += 1) {
      const parent = await create()
      const child = await childOf(parent)
      const archive = app.pool.query(
        "update sessions set status = 'archived', archived_at = now() where id = $1 and status <> 'archived'",
        [parent],
      )
      const [reported] = await Promise.all([report(child, {}), archive])
      expect([200, 409]).toContain(reported.status)
      await app.delete(`/sessions/${parent}`)
    }
  })
})
