import { expect, test } from 'vitest'
import { testApp, testKey } from '../support/app/app.ts'
import { sessionHelpers } from '../support/sessions/conversation.ts'
import { eventually } from '../support/vitest/eventually.ts'

const app = testApp()
const { repository, reaches, hears } = sessionHelpers(app)

/** Like some HTTP clients: every request declares a JSON body, and most bodies are empty. */
async function call(method: string, path: string, body?: unknown) {
  const response = await app.send(`/api/v1${path}`, {
    method,
    headers: { 'X-API-Key': testKey, 'Content-Type': 'application/json', Accept: 'application/json' },
    ...(method !== 'GET' && { body: body === undefined ? '' : JSON.stringify(body) }),
  })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: a client reads whatever JSON came back
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any }
}

test('a client that sends empty bodies as JSON can create, use, fork and archive a session', async () => {
  const created = await call('POST', '/sessions', {
    agent_runtime: 'demo',
    git_root: repository(),
    title: 'By a third party',
    prompt: 'say a rare phrase indeed',
    custom_metadata: { ticket: 'T-1' },
  })
  expect(created.status).toBe(201)
  const { id, slug } = created.body.session
  await reaches(id, 'needs_input')

  const listed = await call('GET', '/sessions?status=needs_input&per_page=5')
  expect(listed.body.sessions.map((session: { id: number }) => session.id)).toContain(id)
  for (const query of ['q=third+party', 'q=T-1', 'q=a+rare+phrase+indeed&search_contents=true']) {
    const found = await call('GET', `/sessions/search?${query}`)
    expect([query, found.status, found.body.sessions.map((session: { id: number }) => session.id)]).toEqual([
      query,
      200,
      [id],
    ])
  }

  expect((await call('POST', `/sessions/${slug}/follow_up`, { prompt: 'sleep 60' })).status).toBe(200)
  await hears(id)
  const messages: number[] = []
  for (const content of ['say one', 'say two', 'say three']) {
    const queued = await call('POST', `/sessions/${id}/enqueued_messages`, { content })
    expect(queued.status).toBe(201)
    messages.push(queued.body.enqueued_message.id)
  }
  const at = (index: number, rest = ''): string => `/sessions/${id}/enqueued_messages/${messages[index]}${rest}`
  expect((await call('PATCH', at(2, '/reorder'), { position: 1 })).body.enqueued_message.position).toBe(1)
  expect(await call('DELETE', at(1))).toEqual({ status: 204, body: undefined })
  expect((await call('POST', at(0, '/interrupt'))).body.message).toBe('Message sent as interrupt')
  await reaches(id, 'needs_input')

  const read = await call('GET', `/sessions/${id}/transcript`)
  for (const said of ['a rare phrase indeed', 'one', 'three']) expect(read.body.transcript_text).toContain(said)
  expect(read.body.transcript_text.indexOf('one')).toBeLessThan(read.body.transcript_text.indexOf('three'))

  // Without `/dismiss` at the end.
  await call('POST', '/notifications/push', { session_id: id, message: 'Have a look' })
  const [told] = (await call('GET', '/notifications')).body.notifications
  expect((await call('DELETE', `/notifications/${told.id}`)).body.message).toBe('Cannot dismiss unread notification')
  expect((await call('PATCH', `/notifications/${told.id}/mark_read`)).body.notification.read).toBe(true)
  expect(await call('DELETE', `/notifications/${told.id}`)).toEqual({ status: 204, body: undefined })

  const forked = await call('POST', `/sessions/${id}/fork`, { message_index: 1 })
  expect([forked.status, forked.body.session.status]).toEqual([201, 'needs_input'])
  expect((await call('POST', `/sessions/${id}/toggle_favorite`)).body.favorited).toBe(true)
  expect((await call('POST', `/sessions/${id}/refresh`)).status).toBe(200)
  expect((await call('POST', `/sessions/${id}/archive`)).body.session.status).toBe('archived')
  expect((await call('POST', `/sessions/${id}/unarchive`)).body.session.status).toBe('needs_input')
  expect((await call('DELETE', `/sessions/${forked.body.session.id}`)).status).toBe(204)
  expect((await call('GET', `/sessions/${forked.body.session.id}`)).status).toBe(404)
})

test('a client with the minimal body of the wake tools wakes a session, and finds triggers by the words of its vendor', async () => {
  const created = await call('POST', '/sessions', {
    agent_runtime: 'demo',
    git_root: repository(),
    prompt: 'say resting',
  })
  const { id } = created.body.session
  await reaches(id, 'needs_input')

  const wake = await call('POST', '/triggers', {
    name: 'Wake up later',
    agent_root_name: 'any',
    prompt_template: 'say awake again',
    reuse_session: true,
    last_session_id: id,
    trigger_conditions_attributes: [
      { condition_type: 'schedule', configuration: { scheduled_at: '2020-01-01T00:00:00', timezone: 'UTC' } },
    ],
  })
  expect(wake.status).toBe(201)
  expect(wake.body.trigger).toMatchObject({
    status: 'enabled',
    last_session_id: id,
    mcp_servers: [],
    catalog_skills: [],
    catalog_hooks: [],
    catalog_plugins: [],
  })
  await eventually(
    async () => (await call('GET', `/sessions/${id}/transcript`)).body.transcript_text,
    (text) => text.includes('awake again'),
  )
  expect((await call('GET', `/triggers/${wake.body.trigger.id}`)).status).toBe(404)

  const vendorWords = [
    ['slack', 'chat', { channel_id: 'C01ABC' }],
    ['github_issue', 'forge_issue', { repos: ['acme/api'] }],
    ['github_label', 'forge_label', { repos: ['acme/api'], labels: ['ready'] }],
  ] as const
  for (const [word, ours, configuration] of vendorWords) {
    const { body } = await call('POST', '/triggers', {
      name: `By ${word}`,
      agent_root_name: 'any',
      prompt_template: 'say {{link}}',
      trigger_conditions_attributes: [{ condition_type: word, configuration }],
    })
    const [condition] = body.trigger.conditions
    expect(condition.condition_type).toBe(ours)
    for (const filter of [word, ours]) {
      const listed = await call('GET', `/triggers?condition_type=${filter}&status=enabled&per_page=100`)
      expect(listed.body.triggers.map((trigger: { name: string }) => trigger.name)).toEqual([`By ${word}`])
    }
    // The client reads the trigger, finds the condition by its type, and sends a list of one.
    const changed = await call('PATCH', `/triggers/${body.trigger.id}`, {
      name: 'Renamed',
      trigger_conditions_attributes: [{ id: condition.id, condition_type: word, configuration }],
    })
    expect(changed.body.trigger).toMatchObject({
      name: 'Renamed',
      conditions: [{ id: condition.id, condition_type: ours }],
    })
    expect((await call('POST', `/triggers/${body.trigger.id}/toggle`)).body.trigger.status).toBe('disabled')
    expect(await call('DELETE', `/triggers/${body.trigger.id}`)).toEqual({ status: 204, body: undefined })
  }
  expect((await call('GET', '/triggers?condition_type=discord')).body.triggers).toEqual([])
  expect(await call('GET', '/triggers/channels')).toMatchObject({
    status: 503,
    body: { error: 'Chat is not configured' },
  })
})
