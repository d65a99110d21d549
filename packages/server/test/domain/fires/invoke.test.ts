import { describe, expect, test } from 'vitest'
import { expectProblem } from '../../support/app/app.ts'
import { signedIn } from '../../support/http/dashboard-browser.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { triggerApp, yearly } from '../../support/triggers/trigger-app.ts'
import { today } from '../../support/vitest/on-one-day.ts'

const app = await triggerApp()

const messagesOf = async (id: number): Promise<Record<string, unknown>[]> =>
  (await app.get(`/sessions/${id}/enqueued_messages`)).body.enqueued_messages
const turnsOf = async (id: number): Promise<Record<string, unknown>[]> =>
  (
    await app.pool.query('select source, prompt, trigger_id::int from turns where session_id = $1 order by sequence', [
      id,
    ])
  ).rows

describe('POST /triggers/:id/invoke on a trigger that spawns', () => {
  test('a person who fires a trigger on the dashboard makes a session with the genesis web_ui', async () => {
    const id = await app.trigger({})
    const { body } = await (await signedIn(app)).post(`/web/v1/triggers/${id}/invoke`, {})
    expect(body.session).toMatchObject({ genesis: 'web_ui', priority_class: 'priority' })
  })

  test('answers 201 with the session, made from the trigger with the origin of the API', async () => {
    const id = await app.trigger({
      goal: 'find it',
      precedence: 40,
      scheduling_class: 'priority',
      mcp_servers: ['search'],
      prompt_template: 'look at {{link}} {{labels}} {{title}} {{date}}|',
    })
    const before = today()
    const { status, body } = await app.invoke(id, { link: 'https://x/1', labels: ['bug', 'p1'], unknown: 'x' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      trigger: {
        id,
        sessions_created_count: 1,
        last_session_id: body.session.id,
        last_triggered_at: expect.any(String),
      },
      burst_notice: false,
      delivery: 'spawned',
      message: 'Trigger "Sweep" fired manually. Session created.',
    })
    expect(body.session).toMatchObject({
      title: 'Sweep',
      status: 'waiting',
      genesis: 'api',
      scheduling_class: null,
      priority_class: 'spot',
      precedence: 40,
      goal: 'find it',
      mcp_servers: ['search'],
      catalog_skills: ['tidy'],
      metadata: { trigger_id: id, trigger_name: 'Sweep', agent_root_key: 'lab' },
    })
    // The day of the fire: midnight may come during the call.
    const prompts = [before, today()].map((day) => `look at https://x/1 bug, p1  ${day}|`)
    expect(prompts).toContain(body.session.prompt)
    expect(await app.fires(id)).toMatchObject([
      {
        fired_by: 'invoke',
        outcome: 'spawned',
        session_id: body.session.id,
        condition_id: null,
        reason: null,
        times: 1,
      },
    ])
  })

  test("takes the caller's words as they are, without a fence", async () => {
    const { body } = await app.invoke(await app.trigger(), { text: '{{date}} [x]' })
    expect(body.session.prompt).toBe('say {{date}} [x]')
  })

  test.each([undefined, null, 'text', [1], 7])('counts %j as no variables', async (variables) => {
    const answer = await app.post(`/triggers/${await app.trigger()}/invoke`, { variables })
    expect(answer.status).toBe(201)
    expect(answer.body.session.prompt).toBe('say ')
  })

  test('fires a disabled and a failed trigger and leaves the status', async () => {
    const id = await app.trigger({ status: 'disabled' })
    expect((await app.invoke(id)).status).toBe(201)
    await app.pool.query(`update triggers set status = 'failed', failed_at = now() where id = $1`, [id])
    expect((await app.invoke(id)).body.trigger).toMatchObject({ status: 'failed', sessions_created_count: 2 })
  })

  test('answers 422 Invalid agent_root with the trigger if the catalog has no such root', async () => {
    const id = await app.trigger({ agent_root_name: 'nowhere' })
    const answer = await app.invoke(id)
    expectProblem(answer, 422, 'Invalid agent_root', 'No agent root named "nowhere" is in the catalog')
    expect(answer.body.trigger).toMatchObject({ id, sessions_created_count: 0, status: 'enabled' })
    expect(await app.fires(id)).toMatchObject([{ outcome: 'failed', reason: expect.stringContaining('nowhere') }])
  })

  test('follows a root that was renamed, found by the repository of the last session', async () => {
    const id = await app.trigger()
    const { body } = await app.invoke(id)
    await app.pool.query(`update triggers set agent_root_name = 'lab-old' where id = $1`, [id])
    const again = await app.invoke(id)
    expect(again.body.session.metadata.agent_root_key).toBe('lab')
    expect(again.body.session.git_root).toBe(body.session.git_root)
    expect(again.body.trigger).toMatchObject({ agent_root_name: 'lab', agent_root_missing_from_catalog: false })
  })

  test('spawns without names that left the catalog, and reports them until they are found again', async () => {
    const id = await app.trigger({ mcp_servers: ['search'] })
    expect((await app.invoke(id)).body.trigger.unresolved_catalog_references).toEqual({})
    await app.pool.query(`update triggers set mcp_servers = '{search,gone}', catalog_skills = '{lost}' where id = $1`, [
      id,
    ])
    expect(await app.show(id)).toMatchObject({ unresolved_catalog_references: {} })
    const { body } = await app.invoke(id)
    expect(body.session).toMatchObject({ mcp_servers: ['search'], catalog_skills: [] })
    const seen = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body.trigger).toMatchObject({
      mcp_servers: ['search', 'gone'],
      unresolved_catalog_references: { mcp_servers: { gone: seen }, catalog_skills: { lost: seen } },
    })
    await app.patch(`/triggers/${id}`, { mcp_servers: ['search'], catalog_skills: [] })
    expect((await app.invoke(id)).body.trigger.unresolved_catalog_references).toEqual({})
  })

  test('answers 409 with the pending session if it skips while one is pending', async () => {
    const id = await app.trigger({ skip_if_pending_session: true })
    const first = (await app.invoke(id)).body.session.id
    const before = await app.show(id)
    const answer = await app.invoke(id)
    expectProblem(answer, 409, 'No session created', `Session ${first} is still waiting or running.`)
    expect(answer.body).toMatchObject({ trigger: { id, sessions_created_count: 1 }, session: { id: first } })
    expect(answer.body.trigger.last_triggered_at).toBe(before.last_triggered_at)
    for (const status of ['needs_input', 'failed', 'archived']) {
      await app.pool.query(
        `update sessions set status = 'archived', archived_at = now() where metadata ->> 'trigger_id' = $1`,
        [String(id)],
      )
      await app.setStatus(first, status)
      expect((await app.invoke(id)).status).toBe(201)
    }
    expect((await app.fires(id)).map(({ outcome }) => outcome)).toEqual([
      'spawned',
      'spawned',
      'spawned',
      'skipped',
      'spawned',
    ])
  })

  test('refuses a prompt that is too long with 422', async () => {
    expectProblem(
      await app.invoke(await app.trigger(), { text: 'x'.repeat(500_001) }),
      422,
      'Validation failed',
      'Prompt is too long (maximum 500,000 characters)',
    )
  })
})

describe('a burst', () => {
  test('is announced once by a session of its own, then suppressed with 429', async () => {
    const id = await app.trigger({ max_sessions_per_minute: 2, goal: 'g' })
    const [one, two] = [await app.invoke(id), await app.invoke(id)]
    const notice = await app.invoke(id, { text: 'the tipping event' })
    expect(notice.status).toBe(201)
    expect(notice.body).toMatchObject({
      burst_notice: true,
      delivery: 'spawned',
      trigger: {
        bursting: true,
        burst_ends_at: expect.any(String),
        sessions_created_count: 3,
        last_session_id: two.body.session.id,
      },
      session: { goal: null, metadata: { burst_notice: true, trigger_id: id } },
    })
    for (const part of [
      `/api/v1/sessions/${one.body.session.id}`,
      `/api/v1/triggers/${id}`,
      'the tipping event',
      '2 times',
    ])
      expect(notice.body.session.prompt).toContain(part)
    const suppressed = await app.invoke(id)
    expectProblem(suppressed, 429, 'Burst suppressed')
    expect(suppressed.body.trigger).toMatchObject({ sessions_created_count: 3, suppressed_event_count: 1 })
    expect((await app.fires(id)).map(({ outcome }) => outcome)).toEqual([
      'suppressed',
      'burst_notice',
      'spawned',
      'spawned',
    ])
  })

  test('lets exactly the cap through, with thirty concurrent callers', async () => {
    const id = await app.trigger({ max_sessions_per_minute: 5 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => app.invoke(id)))
    const count = (wanted: (answer: (typeof answers)[number]) => boolean) => answers.filter(wanted).length
    expect(count(({ status, body }) => status === 201 && !body.burst_notice)).toBe(5)
    expect(count(({ body }) => body.burst_notice)).toBe(1)
    expect(count(({ status }) => status === 429)).toBe(24)
    expect(await app.show(id)).toMatchObject({ sessions_created_count: 6, suppressed_event_count: 24 })
  })

  test('lasts while its minutes are over the cap, and ends after five quiet ones', async () => {
    const id = await app.trigger({ max_sessions_per_minute: 1 })
    const age = (minutes: number) =>
      app.pool.query(
        `update triggers
         set burst_window_started_at = burst_window_started_at - make_interval(mins => $2),
           burst_ends_at = burst_ends_at - make_interval(mins => $2)
         where id = $1`,
        [id, minutes],
      )
    const statuses: number[] = []
    const fire = async () => statuses.push((await app.invoke(id)).status)
    await fire()
    await fire()
    await age(4)
    await fire() // a minute of its own, not over the cap
    const { burst_ends_at: unmoved } = await app.show(id)
    await fire() // over the cap: prolongs
    expect(new Date(String((await app.show(id)).burst_ends_at)).getTime()).toBeGreaterThan(
      new Date(String(unmoved)).getTime() + 200_000,
    )
    await age(6)
    expect(await app.show(id)).toMatchObject({ bursting: false, burst_ends_at: null })
    await fire()
    expect(statuses).toEqual([201, 201, 429, 429, 201])
  })

  test('ends when the cap is changed, also to none', async () => {
    const id = await app.trigger({ max_sessions_per_minute: 1 })
    for (let n = 0; n < 3; n += 1) await app.invoke(id)
    expect(await app.show(id)).toMatchObject({ bursting: true })
    expect((await app.patch(`/triggers/${id}`, { max_sessions_per_minute: 1 })).body.trigger.bursting).toBe(true)
    expect((await app.patch(`/triggers/${id}`, { max_sessions_per_minute: null })).body.trigger.bursting).toBe(false)
    expect((await app.invoke(id)).status).toBe(201)
  })
})

describe('POST /triggers/:id/invoke on a trigger that re-uses a session', () => {
  const reusing = (last_session_id: number, more = {}) => app.trigger({ reuse_session: true, last_session_id, ...more })

  test.each(['needs_input', 'waiting'])('delivers to a session in %s', async (status) => {
    const target = await insertSession(app.pool, { status })
    const { status: code, body } = await app.invoke(await reusing(target), { text: 'hello' })
    expect(code).toBe(201)
    expect(body).toMatchObject({
      delivery: 'delivered',
      session: { id: target, status: 'waiting', prompt: 'say hello' },
      trigger: { sessions_created_count: 0, last_session_id: target, last_triggered_at: expect.any(String) },
      message: `Trigger "Sweep" fired manually. Prompt delivered to session ${target}.`,
    })
    expect(await turnsOf(target)).toMatchObject([
      { source: 'trigger', prompt: 'say hello', trigger_id: body.trigger.id },
    ])
  })

  test('drops the prompt of a running session and says so', async () => {
    const target = await insertRunningSession(app.pool)
    const id = await reusing(target)
    const { status, body } = await app.invoke(id)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      delivery: 'dropped',
      session: { id: target },
      message: expect.stringContaining('Prompt dropped.'),
    })
    expect(await messagesOf(target)).toEqual([])
    expect(body.trigger.last_triggered_at).toBeNull()
  })

  test('queues for a running session with enqueue_messages, and adds further events to the message that waits', async () => {
    const target = await insertRunningSession(app.pool)
    const id = await reusing(target, { enqueue_messages: true })
    expect((await app.invoke(id, { text: 'one' })).body.delivery).toBe('queued')
    expect((await app.invoke(id, { text: 'two' })).body.delivery).toBe('coalesced')
    expect((await app.invoke(id, { text: 'two' })).body.delivery).toBe('coalesced')
    expect(await messagesOf(target)).toMatchObject([
      { content: 'say one\n\nsay two', origin: 'caller', status: 'pending' },
    ])
  })

  test("is not held back by a person's queued message", async () => {
    const target = await insertRunningSession(app.pool)
    await app.post(`/sessions/${target}/enqueued_messages`, { content: 'from a person' })
    const id = await reusing(target, { enqueue_messages: true })
    expect((await app.invoke(id, { text: 'one' })).body.delivery).toBe('queued')
    expect(await messagesOf(target)).toMatchObject([{ content: 'from a person' }, { content: 'say one' }])
  })

  test.each(['failed', 'archived'])('spawns and re-points if the session is %s', async (status) => {
    const target = await insertSession(app.pool)
    await app.setStatus(target, status)
    const id = await reusing(target)
    const { body } = await app.invoke(id)
    expect(body).toMatchObject({ delivery: 'spawned', trigger: { last_session_id: body.session.id } })
    expect(body.session.id).not.toBe(target)
    expect((await app.invoke(id)).body).toMatchObject({ delivery: 'queued', session: { id: body.session.id } })
  })

  test('leaves a session alone that a person paused', async () => {
    const target = await insertSession(app.pool, { status: 'needs_input', metadata: { paused_by: 'user' } })
    expect((await app.invoke(await reusing(target))).body).toMatchObject({ delivery: 'spawned' })
    expect(await turnsOf(target)).toEqual([])
  })

  test('replaces the lists of the session with those that the trigger sets', async () => {
    const lists = { mcp_servers: ['tracker'], catalog_skills: ['tidy'] }
    const target = await insertSession(app.pool, { status: 'needs_input', ...lists })
    const { body } = await app.invoke(await reusing(target, { mcp_servers: ['search'] }))
    expect(body.session).toMatchObject({ mcp_servers: ['search'], catalog_skills: ['tidy'] })
    const { rows } = await app.pool.query('select level, content from session_logs where session_id = $1', [target])
    expect(rows).toContainEqual(
      expect.objectContaining({ level: 'warning', content: expect.stringContaining('mcp_servers') }),
    )
  })

  test('answers 422 for a wake whose session is gone or cannot be used', async () => {
    const target = await insertSession(app.pool)
    const id = await reusing(target, { trigger_conditions_attributes: [yearly] })
    await app.setStatus(target, 'failed')
    const answer = await app.invoke(id)
    expectProblem(answer, 422, 'No session created', `Session ${target} is failed.`)
    expect(answer.body).toMatchObject({ trigger: { id }, session: { id: target } })
    await app.pool.query('delete from sessions where id = $1', [target])
    const gone = await app.invoke(id)
    expectProblem(gone, 422, 'No session created', 'The session no longer exists.')
    expect(gone.body).toMatchObject({ trigger: { last_session_id: null }, session: null })
  })

  test('does not use up a wake', async () => {
    const target = await insertSession(app.pool, { status: 'needs_input' })
    const id = await reusing(target, { trigger_conditions_attributes: [yearly] })
    expect((await app.invoke(id)).body).toMatchObject({
      delivery: 'delivered',
      trigger: { id, conditions: [{ last_triggered_at: null }] },
    })
  })
})

describe('GET /triggers/:id/fires', () => {
  test('keeps the latest two hundred and pages through them, newest first', async () => {
    const id = await app.trigger()
    await app.pool.query(
      `insert into trigger_fires (trigger_id, fired_by, event_key, outcome)
       select $1, 'invoke', 'old:' || n, 'spawned' from generate_series(1, 200) n`,
      [id],
    )
    const newest = (await app.invoke(id)).body.session.id
    const { body } = await app.get(`/triggers/${id}/fires?per_page=2`)
    expect(body.pagination).toEqual({ page: 1, per_page: 2, total_count: 200, total_pages: 100 })
    expect(body.fires).toMatchObject([{ session_id: newest }, { event_key: 'old:200' }])
    const last = await app.get(`/triggers/${id}/fires?per_page=2&page=100`)
    expect(last.body.fires).toMatchObject([{ event_key: 'old:3' }, { event_key: 'old:2' }])
  })
})
