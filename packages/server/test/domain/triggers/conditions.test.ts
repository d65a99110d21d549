import { describe, expect, test } from 'vitest'
import { expectProblem } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { daily, newTrigger, triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()

const create = (condition_type: string, configuration: unknown, more = {}) =>
  app.post('/triggers', newTrigger({ trigger_conditions_attributes: [{ condition_type, configuration }], ...more }))

const repos = ['acme/api']
const days = 'monday, tuesday, wednesday, thursday, friday, saturday, sunday'
const chatEvents = 'new_message, bot_mention, dm_message, passive_listen_thread, passive_listen_channel, passive_listen'

describe('POST /triggers refuses a condition', () => {
  test.each<[string, unknown, ...string[]]>([
    ['chat', { event_type: 'new_message' }, 'must include channel_id for Chat conditions'],
    ['chat', { event_type: 'shout', channel_id: 'C1' }, `event_type must be one of: ${chatEvents}`],
    ['chat', { event_type: 'bot_mention', thread_ts: '1.2' }, 'thread_ts requires a channel_id'],
    [
      'chat',
      { event_type: 'dm_message', channel_id: 'C1', thread_ts: '1.2' },
      'thread_ts is not supported for dm_message conditions',
    ],
    ['chat', { channel_id: 'C1', channel_timestamps: {} }, 'has unknown keys: channel_timestamps'],
    ['schedule', { interval: 1 }, 'must include unit for schedule conditions'],
    ['schedule', { unit: 'months', interval: 1 }, 'unit must be one of: minutes, hours, days, weeks'],
    ['schedule', { unit: 'hours' }, 'must include interval for schedule conditions'],
    ['schedule', { unit: 'hours', interval: 0 }, 'interval must be at least 1'],
    ['schedule', { unit: 'hours', interval: 1.5 }, 'interval must be an integer'],
    ['schedule', { unit: 'hours', interval: 100_001 }, 'interval must be at most 100000'],
    ['schedule', { unit: 'days', interval: 1 }, 'must include time for days schedules'],
    ['schedule', { unit: 'days', interval: 1, time: '25:00' }, 'time must be in HH:MM format'],
    ['schedule', { unit: 'weeks', interval: 1, time: '09:00' }, 'must include day_of_week for weekly schedules'],
    [
      'schedule',
      { unit: 'weeks', interval: 1, time: '09:00', day_of_week: 'someday' },
      `day_of_week must be one of: ${days}`,
    ],
    ['schedule', { unit: 'hours', interval: 1, timezone: 'Mars/Base' }, 'timezone is not a recognized timezone'],
    ['schedule', { scheduled_at: 'soon' }, 'scheduled_at must be a valid datetime (ISO 8601 format)'],
    ['schedule', { scheduled_at: '2026-02-30T10:00' }, 'scheduled_at must be a valid datetime (ISO 8601 format)'],
    ['schedule', { scheduled_at: '0026-02-03T10:00' }, 'scheduled_at must be a valid datetime (ISO 8601 format)'],
    ['schedule', { scheduled_at: '12026-02-03T10:00' }, 'scheduled_at must be a valid datetime (ISO 8601 format)'],
    ['schedule', { scheduled_at: '2026-02-03T10:00+99:99' }, 'scheduled_at must be a valid datetime (ISO 8601 format)'],
    ['schedule', { unit: 'hours', interval: 1, timezone: '+02:00' }, 'timezone is not a recognized timezone'],
    ['schedule', { unit: 'hours', interval: 1, timezone: '../../etc/passwd' }, 'timezone is not a recognized timezone'],
    ['schedule', { unit: 'hours', interval: 1e300 }, 'interval must be at most 100000'],
    [
      'ao_event',
      { event_name: 'session_failed', watched_session_id: 2 ** 63 },
      'watched_session_id must be a positive integer',
    ],
    ['forge_issue', { repos: ['../..'] }, 'repos must be in owner/name format: ../..'],
    ['forge_issue', { repos: ['acme/..'] }, 'repos must be in owner/name format: acme/..'],
    ['forge_issue', { repos: ['acme/api?x=1'] }, 'repos must be in owner/name format: acme/api?x=1'],
    ['ao_event', { watched_session_id: 1 }, 'must include event_name for ao_event conditions'],
    [
      'ao_event',
      { event_name: 'session_born' },
      'event_name must be one of: session_needs_input, session_failed, session_archived',
    ],
    [
      'ao_event',
      { event_name: 'session_failed', watched_session_id: -1 },
      'watched_session_id must be a positive integer',
    ],
    [
      'ao_event',
      { event_name: 'session_failed', watched_session_id: 999_999 },
      'watched_session_id 999999 does not reference an existing session',
    ],
    ['forge_issue', { repos: [] }, 'must include at least one repo for forge conditions'],
    [
      'forge_issue',
      { repos: Array.from({ length: 21 }, (_, n) => `acme/r${n}`) },
      'must watch at most 20 repos (got 21)',
    ],
    ['forge_issue', { repos: ['acme', 'a b/c'] }, 'repos must be in owner/name format: acme, a b/c'],
    ['forge_label', { repos }, 'must include at least one label for forge_label conditions'],
    ['forge_label', { repos, labels: ['x'], target: 'commit' }, 'target must be one of: pull_request, issue'],
    ['schedule', 'daily', 'must be a hash'],
    ['schedule', {}, "can't be blank"],
    ['schedule', null, "can't be blank"],
  ])('of type %s with %j: %s', async (type, configuration, ...problems) => {
    const messages = problems.map((problem) => `Trigger conditions configuration ${problem}`)
    expectProblem(await create(type, configuration), 422, 'Validation failed', ...messages)
    expect((await app.pool.query('select from triggers')).rowCount).toBe(0)
  })

  test('that watches the session it is to wake', async () => {
    const id = await insertSession(app.pool)
    const configuration = { event_name: 'session_failed', watched_session_id: id }
    expectProblem(
      await create('ao_event', configuration, { reuse_session: true, last_session_id: id }),
      422,
      'Validation failed',
      'Trigger conditions configuration watched_session_id cannot equal last_session_id (a session cannot watch itself)',
    )
  })

  test('among 10,000 of them in one sentence, before any of them is read', async () => {
    const watch = { event_name: 'session_failed', watched_session_id: 999_999 }
    const many = Array.from({ length: 10_000 }, () => ({ condition_type: 'ao_event', configuration: watch }))
    const answer = await app.post('/triggers', newTrigger({ trigger_conditions_attributes: many }))
    expectProblem(answer, 422, 'Validation failed', 'Trigger conditions has too many entries (maximum is 50)')
    expect(answer.body.messages).toHaveLength(1)
  })

  test('without a type, with an unknown one, and a trigger without any condition', async () => {
    const attributes = (...list: unknown[]) =>
      app.post('/triggers', newTrigger({ trigger_conditions_attributes: list }))
    const none = 'Trigger conditions must have at least one condition'
    expectProblem(await attributes(), 422, 'Validation failed', none)
    expectProblem(await attributes({ id: '', condition_type: null }), 422, 'Validation failed', none)
    expectProblem(
      await attributes({ condition_type: 'system_event', configuration: { a: 1 } }),
      422,
      'Validation failed',
      'Trigger conditions condition type is not included in the list',
    )
    expectProblem(
      await attributes({ configuration: daily.configuration }),
      422,
      'Validation failed',
      "Trigger conditions condition type can't be blank",
    )
    expectProblem(
      await app.post('/triggers', newTrigger({ trigger_conditions_attributes: 'daily' })),
      422,
      'Validation failed',
      'Trigger conditions attributes must be an array',
    )
  })
})

describe('POST /triggers stores a condition', () => {
  test.each<[string, string, unknown, unknown, string]>([
    [
      'schedule',
      'schedule',
      { unit: 'Weeks', interval: '2', time: '09:00', day_of_week: 'Monday' },
      { unit: 'weeks', interval: 2, time: '09:00', day_of_week: 'monday', timezone: 'UTC' },
      'Every 2 weeks on Monday at 09:00 (UTC)',
    ],
    ['schedule', 'schedule', daily.configuration, daily.configuration, 'Every day at 03:00 (Europe/Vilnius)'],
    [
      'schedule',
      'schedule',
      { scheduled_at: '2041-09-02T08:15', timezone: 'Europe/Vilnius', unit: 'months' },
      { scheduled_at: '2041-09-02T08:15:00', timezone: 'Europe/Vilnius' },
      'Once at 2041-09-02 08:15:00 (Europe/Vilnius)',
    ],
    ['slack', 'chat', { channel_id: 'C1' }, { event_type: 'new_message', channel_id: 'C1' }, 'New message in C1'],
    [
      'chat',
      'chat',
      { event_type: 'bot_mention', channel_id: 'C1', thread_ts: '1.2', allowed_user_ids: ['U1', 'U1 ', ''] },
      { event_type: 'bot_mention', channel_id: 'C1', thread_ts: '1.2', allowed_user_ids: ['U1'] },
      'Mention of the bot in C1, thread 1.2',
    ],
    [
      'github_issue',
      'forge_issue',
      { repos: 'acme/api\n acme/web \nacme/api' },
      { repos: ['acme/api', 'acme/web'], exclude_labels: [] },
      'New issue in acme/api, acme/web',
    ],
    [
      'github_label',
      'forge_label',
      { repos, labels: ['ready, set', 'go'] },
      { repos, labels: ['ready, set', 'go'], target: 'pull_request' },
      'Label ready, set or go added to a pull request in acme/api',
    ],
    ['ao_event', 'ao_event', { event_name: 'session_failed' }, { event_name: 'session_failed' }, 'Any session failed'],
  ])('of type %s as %s with %j', async (type, answered, configuration, stored, description) => {
    const { status, body } = await create(type, configuration)
    expect(status).toBe(201)
    expect(body.trigger.conditions).toEqual([
      {
        id: expect.any(Number),
        condition_type: answered,
        configuration: stored,
        description,
        next_run_at: answered === 'schedule' ? expect.any(String) : null,
        last_triggered_at: null,
        last_polled_at: null,
      },
    ])
  })
})

describe('PATCH /triggers/:id with nested conditions', () => {
  const conditionsOf = async (id: number) => (await app.show(id)).conditions as Record<string, unknown>[]

  test('adds one, changes the one with the id, deletes the one with _destroy, and leaves others alone', async () => {
    const id = await app.trigger({
      trigger_conditions_attributes: [daily, { condition_type: 'forge_issue', configuration: { repos } }],
    })
    const [first, second] = await conditionsOf(id)
    const { status } = await app.patch(`/triggers/${id}`, {
      trigger_conditions_attributes: [
        { id: first?.id, configuration: { ...daily.configuration, time: '04:00' } },
        { condition_type: 'ao_event', configuration: { event_name: 'session_failed' } },
      ],
    })
    expect(status).toBe(200)
    expect(await conditionsOf(id)).toMatchObject([
      { id: first?.id, configuration: { time: '04:00' } },
      { id: second?.id, configuration: { repos } },
      { condition_type: 'ao_event' },
    ])
    await app.patch(`/triggers/${id}`, { trigger_conditions_attributes: [{ id: second?.id, _destroy: '1' }, {}] })
    expect(await conditionsOf(id)).toMatchObject([{ id: first?.id }, { condition_type: 'ao_event' }])
  })

  test('refuses to delete the last one, and an id of another trigger', async () => {
    const [id, other] = [await app.trigger(), await app.trigger()]
    const [own] = await conditionsOf(id)
    const [foreign] = await conditionsOf(other)
    await changesNothing(app.pool, async () => {
      expectProblem(
        await app.patch(`/triggers/${id}`, { trigger_conditions_attributes: [{ id: own?.id, _destroy: true }] }),
        422,
        'Validation failed',
        'Trigger conditions must have at least one condition',
      )
      expectProblem(
        await app.patch(`/triggers/${id}`, {
          trigger_conditions_attributes: [{ id: foreign?.id, configuration: daily.configuration }],
        }),
        422,
        'Validation failed',
        `Trigger conditions id ${foreign?.id} is not a condition of this trigger`,
      )
    })
  })
})
