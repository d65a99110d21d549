import { describe, expect, test } from 'vitest'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { daily, triggerApp, yearly } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()
const { call, tools } = mcpClient(app)
const bound = mcpClient(app, { query: '?allowed_agent_roots=lab' })
const text = async (name: string, args: Record<string, unknown>, client = { call }) => {
  const answer = await client.call(name, args)
  expect(answer).toMatchObject({ isError: false })
  return answer.text
}
const idIn = (answer: string): number => Number(/\bid: (\d+)/.exec(answer)?.[1])
const base = { name: 'Nightly', agent_root_name: 'lab', prompt_template: 'say {{text}}', conditions: [daily] }

describe('action_trigger and search_triggers', () => {
  test('create, find, change, toggle, fire and delete a trigger', async () => {
    const id = idIn(await text('action_trigger', { action: 'create', ...base }))
    expect(await text('search_triggers', { trigger_type: 'schedule', status: 'enabled' })).toMatch(/Nightly/)
    expect(await text('search_triggers', { trigger_type: 'chat' })).not.toMatch(/Nightly/)
    expect(await text('search_triggers', { needs_attention: true })).not.toMatch(/Nightly/)
    expect(await text('search_triggers', { needs_attention: false })).toMatch(/Nightly/)
    expect(await text('action_trigger', { action: 'update', id, name: 'Weekly' })).toMatch(/name: Weekly/)
    expect(await text('action_trigger', { action: 'toggle', id })).toMatch(/status: disabled/)
    expect(await text('action_trigger', { action: 'invoke', id, variables: { text: 'hi' } })).toMatch(/Session created/)
    expect(await text('search_triggers', { id })).toMatch(/## fires[\s\S]*outcome: spawned/)
    expect(await text('action_trigger', { action: 'delete', id })).toBe('Done.')
    expect(await call('search_triggers', { id })).toMatchObject({ isError: true })
  })

  test('answer with the message of the refusal', async () => {
    const answer = await call('action_trigger', { action: 'create', ...base, conditions: [] })
    expect(answer).toEqual({ text: 'Trigger conditions must have at least one condition', isError: true })
  })

  test('of a caller limited to roots see and make only triggers on those roots, with what the root gives', async () => {
    const foreign = await app.trigger({ name: 'Foreign', agent_root_name: 'other' })
    const own = await app.trigger({ name: 'Own' })
    const list = await text('search_triggers', { per_page: 100 }, bound)
    expect(list).toMatch(/Own/)
    expect(list).not.toMatch(/Foreign/)
    for (const [name, args] of [
      ['search_triggers', { id: foreign }],
      ['action_trigger', { action: 'invoke', id: foreign }],
      ['action_trigger', { action: 'delete', id: foreign }],
      ['action_trigger', { action: 'update', id: foreign, name: 'x' }],
      ['action_trigger', { action: 'update', id: own, agent_root_name: 'other' }],
      ['action_trigger', { action: 'create', ...base, agent_root_name: 'other' }],
      ['action_trigger', { action: 'create', ...base, mcp_servers: ['search'] }],
      ['action_trigger', { action: 'update', id: own, scheduling_class: 'priority' }],
    ] as const)
      expect(await bound.call(name, args)).toMatchObject({ isError: true })
    expect(await app.show(foreign)).toMatchObject({ name: 'Foreign', sessions_created_count: 0 })
    expect(await text('action_trigger', { action: 'create', ...base }, bound)).toMatch(/Nightly/)
  })

  test('search_triggers of a caller limited to roots counts and pages only triggers on those roots', async () => {
    for (const name of ['One', 'Two', 'Three']) {
      await app.trigger({ name, prompt_template: 'say counted' })
      await app.trigger({ name: 'Foreign', agent_root_name: 'other' })
    }
    const all = (await app.get('/triggers?per_page=100')).body.triggers as { agent_root_name: string }[]
    const own = all.filter((trigger) => trigger.agent_root_name === 'lab').length
    const page = await text('search_triggers', { per_page: 2, page: 1 }, bound)
    expect(page).toMatch(new RegExp(`total_count: ${own}\\b`))
    expect(page.match(/agent_root_name: lab/g)).toHaveLength(2)
    const nothing = mcpClient(app, { query: '?allowed_agent_roots=unknown' })
    expect(await text('search_triggers', {}, nothing)).toMatch(/total_count: 0/)
  })
})

describe('action_trigger', () => {
  const shownConditions = async (id: number) =>
    (await app.show(id)).conditions as { id: number; condition_type: string; configuration: Record<string, unknown> }[]
  const issues = { trigger_type: 'github_issue', configuration: { repos: ['acme/api'], exclude_labels: ['hold'] } }
  const { conditions: _, ...flat } = base
  const refusal = (message: string) => ({ text: message, isError: true })

  test('action_trigger takes one condition as trigger_type and configuration, and changes it by its type', async () => {
    const id = idIn(await text('action_trigger', { action: 'create', ...flat, ...issues }))
    const [condition] = await shownConditions(id)
    expect(condition).toMatchObject({ condition_type: 'forge_issue', configuration: issues.configuration })
    const configuration = { repos: ['acme/web'], exclude_labels: [] }
    await text('action_trigger', { action: 'update', id, trigger_type: 'forge_issue', configuration })
    expect(await shownConditions(id)).toMatchObject([{ id: condition?.id, configuration }])
    await text('action_trigger', { action: 'update', id, trigger_type: 'schedule', configuration: daily.configuration })
    expect(await shownConditions(id)).toMatchObject([{ id: condition?.id }, { condition_type: 'schedule' }])
  })

  test('action_trigger refuses the flat pair beside the list, and where several conditions are of that type', async () => {
    const both = await call('action_trigger', { action: 'create', ...base, ...issues })
    expect(both).toEqual(refusal('Give either conditions, or trigger_type and configuration'))
    const id = await app.trigger({ trigger_conditions_attributes: [daily, daily] })
    const configuration = daily.configuration
    const several = await call('action_trigger', { action: 'update', id, trigger_type: 'schedule', configuration })
    expect(several).toMatchObject({ isError: true, text: expect.stringContaining('several conditions of that type') })
  })

  test('action_trigger changes the only condition by its configuration alone, and sets no status of the service', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [yearly] })
    const [condition] = await shownConditions(id)
    await text('action_trigger', { action: 'update', id, configuration: daily.configuration })
    expect(await shownConditions(id)).toMatchObject([{ id: condition?.id, configuration: daily.configuration }])
    expect(await call('action_trigger', { action: 'update', id, status: 'failed' })).toEqual(
      refusal('The status failed is set by the service; use disabled'),
    )
  })

  test('action_trigger deletes a condition that is sent with remove', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [daily, yearly] })
    const [first, second] = await shownConditions(id)
    await text('action_trigger', { action: 'update', id, conditions: [{ id: first?.id, remove: true }] })
    expect((await shownConditions(id)).map((condition) => condition.id)).toEqual([second?.id])
  })

  test('action_trigger refuses flags that need reuse_session without it', async () => {
    const answer = await call('action_trigger', { action: 'create', ...base, enqueue_messages: true })
    expect(answer).toEqual(refusal('enqueue_messages need reuse_session'))
    const id = idIn(await text('action_trigger', { action: 'create', ...base, reuse_session: true }))
    expect(await text('action_trigger', { action: 'update', id, resuscitate_archived: true })).toMatch(
      /resuscitate_archived: true/,
    )
  })

  test('action_trigger refuses a change that would drop exclude_labels or watched_session_id unsaid', async () => {
    const id = idIn(await text('action_trigger', { action: 'create', ...flat, ...issues }))
    const [condition] = await shownConditions(id)
    const dropping = { configuration: { repos: ['acme/web'] } }
    const message = `Condition ${condition?.id} would lose its exclude_labels; repeat it, or empty it on purpose`
    for (const args of [
      { trigger_type: 'forge_issue', ...dropping },
      { conditions: [{ id: condition?.id, ...dropping }] },
    ])
      expect(await call('action_trigger', { action: 'update', id, ...args })).toEqual(refusal(message))
    expect((await shownConditions(id))[0]).toMatchObject({ configuration: issues.configuration })
    const watched = await insertSession(app.pool, {})
    const watch = { event_name: 'session_failed', watched_session_id: watched }
    const scoped = await app.trigger({
      trigger_conditions_attributes: [{ condition_type: 'ao_event', configuration: watch }],
    })
    const broadcast = { trigger_type: 'ao_event', configuration: { event_name: 'session_failed' } }
    expect(await call('action_trigger', { action: 'update', id: scoped, ...broadcast })).toMatchObject({
      isError: true,
    })
  })

  test('action_trigger caps a trigger on every session, unless the caller names a cap', async () => {
    const broadcast = { trigger_type: 'ao_event', configuration: { event_name: 'session_failed' } }
    const capOf = async (more: object) =>
      (await app.show(idIn(await text('action_trigger', { action: 'create', ...flat, ...broadcast, ...more }))))
        .max_sessions_per_minute
    expect([await capOf({}), await capOf({ max_sessions_per_minute: 99 })]).toEqual([10, 99])
  })
})

test('a caller limited to roots makes no trigger that follows up or watches a session on another root', async () => {
  const foreign = await insertSession(app.pool, { metadata: { agent_root_key: 'other' } })
  const own = await insertSession(app.pool, { metadata: { agent_root_key: 'lab' } })
  const watch = (watched_session_id: unknown) => ({
    conditions: [{ condition_type: 'ao_event', configuration: { event_name: 'session_failed', watched_session_id } }],
  })
  const trigger = await app.trigger()
  for (const args of [
    { action: 'create', ...base, reuse_session: true, last_session_id: foreign },
    { action: 'create', ...base, reuse_session: true, session_id: foreign },
    { action: 'create', ...base, ...watch(foreign) },
    { action: 'create', ...base, ...watch(String(foreign)) },
    { action: 'update', id: trigger, reuse_session: true, last_session_id: foreign },
    { action: 'update', id: trigger, ...watch(foreign) },
    { action: 'create', ...base, ...watch(undefined) },
  ])
    expect(await bound.call('action_trigger', args)).toMatchObject({ isError: true })
  await text('action_trigger', { action: 'create', ...base, reuse_session: true, last_session_id: own }, bound)
  await text('action_trigger', { action: 'create', ...base, ...watch(own) }, bound)
})

describe('wake_me_up_later', () => {
  const wake = (args: Record<string, unknown>) => call('wake_me_up_later', { prompt: 'say awake', ...args })

  test('puts the session to sleep and arms a wake in the zone', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const answer = await wake({ session_id: id, wake_at: '2041-07-01T10:00', timezone: 'Europe/Vilnius' })
    expect(answer.text).toContain(`Session ${id} sleeps and is woken at 2041-07-01T10:00 (Europe/Vilnius).`)
    expect(answer.text).toContain('2041-07-01T07:00:00Z')
    expect(await app.session(id)).toMatchObject({ status: 'waiting' })
  })

  test.each([
    [{ wake_at: '2041-07-01T10:00Z' }, 'wake_at must not have an offset; give the local time and a timezone'],
    [{ wake_at: 'tomorrow' }, 'wake_at must be a date and time such as 2030-09-02T08:15'],
    [{ wake_at: '2020-01-01T00:00' }, 'wake_at must be more than 30 seconds ahead'],
    [{ wake_at: '2041-07-01T10:00', timezone: 'Mars/Base' }, 'timezone is not a recognized timezone'],
    [{ wake_at: '2041-07-01T10:00', prompt: ' ' }, "Prompt can't be blank"],
  ])('refuses %j and leaves the session alone', async (args, message) => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    expect(await wake({ session_id: id, ...args })).toEqual({ text: message, isError: true })
    expect(await app.session(id)).toMatchObject({ status: 'needs_input' })
  })

  test('answers 422 over REST for a session that cannot be woken, 404 for an unknown one, 201 for a good one', async () => {
    const failed = await insertSession(app.pool, { status: 'failed' })
    const body = { wake_at: '2041-07-01T10:00', prompt: 'say' }
    const refused = await app.post(`/sessions/${failed}/wake_later`, body)
    expect(refused).toMatchObject({ status: 422, body: { error: 'Cannot arm wake' } })
    expect((await app.post('/sessions/999999/wake_later', body)).status).toBe(404)
    const id = await insertSession(app.pool, { status: 'needs_input' })
    expect(await app.post(`/sessions/${id}/wake_later`, body)).toMatchObject({
      status: 201,
      body: { session: { id, status: 'waiting' }, trigger: { last_session_id: id, agent_root_name: 'none' } },
    })
  })
})

describe('wake_me_up_when_session_changes_state', () => {
  const wake = (id: number, watched_session_id: unknown, more = {}) =>
    app.post(`/sessions/${id}/wake_on_event`, { watched_session_id, prompt: 'say awake', ...more })
  const resting = () => insertSession(app.pool, { status: 'needs_input' })

  test('arms one trigger with a condition for each event', async () => {
    const [id, watched] = [await resting(), await insertSession(app.pool, { status: 'running' })]
    const events = async (more: object) =>
      ((await wake(id, watched, more)).body.trigger.conditions as { configuration: { event_name: string } }[]).map(
        ({ configuration }) => configuration.event_name,
      )
    expect(await events({})).toEqual(['session_needs_input', 'session_failed', 'session_archived'])
    expect(await events({ event_name: 'session_failed' })).toEqual(['session_failed'])
    expect(await events({ event_names: ['session_failed', 'session_archived'] })).toEqual([
      'session_failed',
      'session_archived',
    ])
  })

  test('refuses itself, an unknown session, and a state that can no longer come', async () => {
    const [id, archived] = [await resting(), await resting()]
    await app.setStatus(archived, 'archived')
    expect(await wake(id, id)).toMatchObject({ status: 422, body: { message: 'A session cannot watch itself' } })
    expect((await wake(id, 999_999)).status).toBe(404)
    expect(await wake(id, archived, { event_name: 'session_failed' })).toMatchObject({ status: 422 })
    expect((await wake(id, archived)).status).toBe(201)
  })

  test('of a caller limited to roots watches only sessions on those roots', async () => {
    const [id, foreign] = [await resting(), await resting()]
    const own = await insertSession(app.pool, { metadata: { agent_root_key: 'lab' } })
    const watch = (watched_session_id: number) =>
      bound.call('wake_me_up_when_session_changes_state', { session_id: id, watched_session_id, prompt: 'say' })
    expect(await watch(foreign)).toMatchObject({ isError: true })
    expect(await watch(own)).toMatchObject({ isError: false })
  })
})

test('an armed wake of any kind can be found and cancelled by the tools', async () => {
  const id = await insertSession(app.pool, { status: 'needs_input' })
  const wake = await armWake(app, id, yearly.configuration)
  expect(await text('search_triggers', { id: wake })).toMatch(new RegExp(`last_session_id: ${id}`))
  expect(await text('action_trigger', { action: 'delete', id: wake })).toBe('Done.')
  expect((await tools()).map(({ name }) => name)).toContain('wake_me_up_later')
})
