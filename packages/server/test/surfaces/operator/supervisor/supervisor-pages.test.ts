import { beforeAll, describe, expect, test } from 'vitest'
import { formTokens } from '../../../../src/platform/http/form-tokens.ts'
import { resources } from '../../../../src/surfaces/operator/supervisor/resources.ts'
import { testApp } from '../../../support/app/app.ts'
import { formOf, operatorBrowser, operatorEnvironment } from '../../../support/http/operator-browser.ts'
import { insertSession } from '../../../support/sessions/session-rows.ts'

const app = testApp({ environment: operatorEnvironment })
const { visit, post, submit } = operatorBrowser(app)
const tokens = formTokens(operatorEnvironment.SUPERVISOR_PASSWORD)

const sealed = `v1.${'0'.repeat(16)}.sealed`
const hostile = '<script>alert(1)</script>"\'&\u202etxt'
/** The key of one record of each resource. */
const keys: Record<string, string> = {}

beforeAll(async () => {
  const session = await insertSession(app.pool, {
    title: hostile,
    status: 'needs_input',
    prompt: `<b>${'long '.repeat(99_000)}`,
    custom_metadata: { ticket: '<i>' },
  })
  const insert = async (text: string, ...values: unknown[]) =>
    String((await app.pool.query<{ id: string }>(text, values)).rows[0]?.id)
  const trigger = await app.post('/triggers', {
    name: hostile.slice(0, 20),
    agent_root_name: 'root',
    prompt_template: 'Hello',
    trigger_conditions_attributes: [
      { condition_type: 'schedule', configuration: { unit: 'days', interval: 1, time: '03:00', timezone: 'UTC' } },
    ],
  })
  expect(trigger.status).toBe(201)
  const answers = await Promise.all([
    app.post('/categories', { name: 'Later', description: '<u>' }),
    app.post(`/sessions/${session}/logs`, { level: 'info', content: hostile }),
    app.post(`/sessions/${session}/subagent_transcripts`, { agent_id: 'helper', description: hostile }),
    app.post('/people', { key: 'ada', display_name: hostile }),
    app.post('/gate_decisions', { gate: 'pr', surface: 'web', entry: { title: hostile, decision: hostile } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  const [category, log, subagent, , decision] = answers.map(({ body }) =>
    String(Object.values<{ id?: number }>(body)[0]?.id),
  )
  Object.assign(keys, {
    sessions: String(session),
    triggers: String(trigger.body.trigger.id),
    conditions: await insert('select id from trigger_conditions where trigger_id = $1', trigger.body.trigger.id),
    categories: category,
    work_backlog: await insert(
      `insert into work_backlog_items
         (key, repo, surface, title, kind, scope_direction, estimated_cost, added_at, added_by, added_via, precedence)
       values ($1, 'acme/web', 'web', $1, 'bug', 'convergent', 'small', now(), 'human', 'api', 6000) returning id`,
      hostile,
    ),
    gate_decisions: decision,
    gate_feedback: await insert(
      `insert into gate_feedbacks (decision_id, verdict, author, channel, received_at)
       values ($1, $2, $2, 'web_ui', now()) returning id`,
      decision,
      hostile,
    ),
    messages: await insert(
      'insert into enqueued_messages (session_id, content, position) values ($1, $2, 1) returning id',
      session,
      `first\r\n${hostile}`,
    ),
    elicitations: await insert(
      `insert into elicitations (session_id, request_id, namespace, asked_by, message, expires_at)
       values ($1, 'r1', 'com.yardmaster', 'api', $2, now() + interval '1 hour') returning id`,
      session,
      hostile,
    ),
    logs: log,
    api_keys: await insert(
      `insert into api_keys (hash, label, scope, beginning, made_by)
       values (sha256('a'), $1, 'read', 'ymk_abcd', 'operator') returning id`,
      hostile,
    ),
    audit: await insert(
      `insert into audit_entries (entry_key, at, actor_kind, actor, operation, target, surface, status)
       values (gen_random_uuid(), now(), 'person', $1, 'x.y', $1, 'web', 200) returning id`,
      hostile,
    ),
    subagents: subagent,
    mcp_credentials: await insert(
      `insert into mcp_credentials
         (id, credential_key, server_name, server_url, client_id, client_auth_method, access_token, refresh_token_unsupported)
       values (gen_random_uuid(), 'k', $1, 'https://mcp.test', $1, 'none', $2, false) returning id`,
      hostile,
      sealed,
    ),
    mcp_oauth_flows: await insert(
      `insert into mcp_oauth_flows
         (id, state_hash, session_id, server_name, credential_key, server, token_endpoint, client_id, client_auth_method,
          code_verifier, redirect_uri, is_manual, expires_at)
       values (gen_random_uuid(), sha256('state'), $1, $2, 'k', '{"headers": {"x-key": "hunter2"}}', 'https://provider.test/token',
         $2, 'none', $3, 'https://yard.test/callback', false, now() + interval '1 hour') returning id`,
      session,
      hostile,
      sealed,
    ),
    provider_keys: await insert(
      "insert into provider_keys (runtime, key) values ('helper', $1) returning runtime as id",
      sealed,
    ),
    social_credentials: await insert(
      `insert into social_credentials (id, account_key, access_token_env_var, access_token, token_endpoint, refresh_error)
       values (gen_random_uuid(), $1, 'X_ACCESS_TOKEN', $2, 'https://provider.test/token', $1) returning id`,
      hostile,
      sealed,
    ),
    settings: 'true',
    people: 'ada',
    notifications: await insert(
      `insert into notifications (session_id, notification_type, title, body)
       values ($1, 'custom_message', $2, $2) returning id`,
      session,
      hostile,
    ),
    costs: await insert(
      `insert into session_usage (request_id, session_id, agent_runtime, model, called_at)
       values ('q1', $1, 'demo', $2, now()) returning id`,
      session,
      hostile,
    ),
    accounts: await insert(`insert into accounts (runtime, email) values ('runtime_alpha', $1) returning id`, hostile),
    quota_snapshots: await insert(
      `insert into quota_snapshots (account_email, account_runtime, trigger)
       values ($1, 'runtime_alpha', 'scheduled') returning id`,
      hostile,
    ),
    account_rotations: await insert(
      `insert into account_rotations (runtime, rotated_to_email, reason, source)
       values ('runtime_alpha', $1, 'switched', 'manual') returning id`,
      hostile,
    ),
    login_attempts: await insert(
      `insert into login_attempts (runtime, email, expires_at)
       values ('runtime_alpha', $1, now() + interval '1 hour') returning id`,
      hostile,
    ),
    human_messages: await insert(
      `insert into human_messages (session_id, author_key, channel, entry_point, content, occurred_at)
       values ($1, 'ada', 'web_ui', 'follow_up', $2, now()) returning id`,
      session,
      hostile,
    ),
    cost_backfills: await insert(
      "insert into cost_backfills (trigger, last_error) values ('manual', $1) returning id",
      hostile,
    ),
    post_deploy_tasks: await insert(
      `insert into post_deploy_tasks (version, name, cursor, last_error)
       values ('20990101000000', $1, '{"after": 7}', $1) returning version as id`,
      hostile,
    ),
    outcome_analyses: await insert(
      `insert into outcome_analyses
         (session_id, schema_version, notes, agent_runtime, session_created_at, root_outcome, segment_count,
          failure_segment_count, success_segment_count, max_depth, analyzed_at, root)
       values ($1, '1', $2, 'demo', now(), 'Success', 1, 0, 1, 1, now(), '{"goal": "<i>"}') returning id`,
      session,
      hostile,
    ),
    outcome_batches: await insert(
      'insert into outcome_batches (concurrency, created_at) values (2, now()) returning id',
    ),
    outcome_items: await insert(
      `insert into outcome_items (batch_id, session_id, reason)
       select max(id), $1, $2 from outcome_batches returning id`,
      session,
      hostile,
    ),
    summaries: await insert(
      `insert into session_status_summaries (session_id, state, summary, entry_count)
       values ($1, 'ready', $2, 1) returning session_id as id`,
      session,
      hostile,
    ),
  })
})

const pathOf = (resource: string) => `/supervisor/${resource}/${keys[resource]}`
const storedValue = async (table: string, column: string, key: string, value = 'id') =>
  (await app.pool.query(`select ${column} as value from ${table} where ${value} = $1`, [key])).rows[0]?.value

describe('each resource of the table', () => {
  test.each(resources.map(({ name }) => name))(
    '%s has a list and a page behind the password, without script',
    async (name) => {
      for (const path of [`/supervisor/${name}`, pathOf(name)]) {
        const stranger = await app.send(path, { headers: { accept: 'text/html' } })
        expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
          401,
          expect.stringContaining('Basic'),
        ])
        const { status, text } = await visit(path)
        expect([path, status]).toEqual([path, 200])
        expect(text).not.toContain('<script>')
        expect(text.replace(/<form.*?<\/form>/gs, '')).not.toContain('\u202e')
        expect(text).not.toMatch(/ on\w+=| style="/)
        expect(text).toMatch(/<h1>[^<]+<\/h1>/)
      }
      expect((await visit(`/supervisor/${name}`)).text).toContain(`href="${pathOf(name)}"`)
    },
  )

  test.each(resources.flatMap(({ name, forms }) => forms.map(({ operation }) => [name, operation] as const)))(
    'the page of %s has the form of %s with a token and a label for each field',
    async (name, operation) => {
      const { text } = await visit(pathOf(name))
      const action = `${pathOf(name)}/${operation}`
      const form = formOf(text, action)
      expect(form?.form_token).toBe(tokens.for(action))
      const declared = resources.find((each) => each.name === name)?.forms.find((each) => each.operation === operation)
      expect(Object.keys(form ?? {})).toEqual(expect.arrayContaining([...(declared?.fields ?? [])]))
      for (const [, id] of text.matchAll(/<(?:input type="(?:text|number|password)"|select|textarea) id="([^"]+)"/g))
        expect(text.split(`for="${id}"`)).toHaveLength(2)
    },
  )

  test.each(resources.filter(({ creates }) => creates).map(({ name }) => name))(
    'the list of %s has one label for each field, also if a filter and the form for a new one have the same',
    async (name) => {
      const { text } = await visit(`/supervisor/${name}`)
      const ids = [...text.matchAll(/<(?:input type="(?:text|number|password)"|select|textarea) id="([^"]+)"/g)].map(
        ([, id]) => id,
      )
      expect(new Set(ids).size).toBe(ids.length)
      for (const id of ids) expect(text.split(`for="${id}"`)).toHaveLength(2)
    },
  )

  test.each(resources.map((resource) => [resource.name, resource] as const))(
    'every column of %s is shown, or withheld for a reason',
    async (_, { table, listed, shown, withheld = {} }) => {
      const { rows } = await app.pool.query<{ column_name: string }>(
        "select column_name from information_schema.columns where table_schema = 'public' and table_name = $1",
        [table],
      )
      const named = [...listed, ...shown, ...Object.keys(withheld)]
      expect(named.toSorted()).toEqual(rows.map(({ column_name }) => column_name).toSorted())
    },
  )
})

describe('the pages below /supervisor', () => {
  test('/supervisor opens the sessions, HEAD answers without a body, other methods and unknown records answer 404', async () => {
    expect(await visit('/supervisor')).toMatchObject({ status: 302, location: '/supervisor/sessions' })
    expect(await visit('/supervisor/sessions', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(
        (await visit('/supervisor/sessions', { method, headers: { 'sec-fetch-site': 'same-origin' } })).status,
      ).toBe(404)
    for (const path of [
      'nothing',
      'sessions/999999',
      'sessions/abc',
      'sessions/99999999999999999999',
      'people/%00',
      'settings/false',
    ])
      expect([path, (await visit(`/supervisor/${path}`)).status]).toEqual([path, 404])
  })

  test('a list is paged by key and narrowed by filters, and a filter that cannot match is no error', async () => {
    const { rows } = await app.pool.query<{ id: string }>(
      `insert into session_logs (session_id, level, content, origin)
       select $1, 'verbose', 'line ' || n, 'service' from generate_series(1, 30) as n returning id`,
      [keys.sessions],
    )
    const first = await visit('/supervisor/logs?level=verbose')
    const keysIn = (text: string) => [...text.matchAll(/href="\/supervisor\/logs\/(\d+)"/g)].map(([, key]) => key)
    const newest = rows.map(({ id }) => id).toReversed()
    expect(keysIn(first.text)).toEqual(newest.slice(0, 20))
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first.text) ?? []
    const second = await visit(next.replaceAll('&#38;', '&'))
    expect(keysIn(second.text)).toEqual(newest.slice(20))
    expect(second.text).toContain('rel="first"')
    expect(keysIn((await visit(`/supervisor/logs?session_id=${keys.sessions}&level=info`)).text)).toEqual([keys.logs])
    for (const query of ['session_id=abc', 'session_id=%00', 'level=odd', 'session_id=99999999999999999999&after=x'])
      expect((await visit(`/supervisor/logs?${query}`)).text).toContain('No record matches')
  })

  test('a text of half a million characters is shown in part, and the page says how much is missing', async () => {
    const { text } = await visit(pathOf('sessions'))
    expect(text).toContain('… 475003 more characters')
    expect(text.length).toBeLessThan(80_000)
  })

  test('no page shows what a person answered or what fences a run', async () => {
    const { text } = await visit(pathOf('elicitations'))
    expect(text).not.toMatch(/Response content|Run marker/)
  })
})

describe('changing a record', () => {
  test.each([
    ['sessions', 'sessions.update', { title: 'x'.repeat(300) }, 'Title is too long'],
    ['sessions', 'sessions.update', { precedence: 'high' }, 'Precedence '],
    ['sessions', 'sessions.update', { custom_metadata: '[1' }, 'Custom metadata is not valid JSON'],
    ['triggers', 'triggers.update', { name: '' }, 'Name '],
    ['conditions', 'triggers.update', { configuration: '{"unit": "decades"}' }, 'Trigger conditions configuration '],
    ['categories', 'categories.update', { name: ' ' }, 'Name '],
    ['work_backlog', 'work_backlog_items.pin', { precedence: '2147483648' }, 'Precedence '],
    ['gate_decisions', 'gate_decisions.add_feedback', { author: '', verdict: 'fine' }, 'Author '],
    ['messages', 'enqueued_messages.update', { content: '' }, 'Content '],
    ['settings', 'settings.update', { spot_max_concurrent_sessions: '101' }, 'Spot max concurrent sessions '],
    ['settings', 'settings.update', { default_model: 'nothing' }, 'Default model nothing is not a model'],
    ['people', 'people.update', { chat_user_id: 'lower' }, 'Chat user must be'],
  ] as [string, string, Record<string, string>, string][])(
    'the form of %s for %s shows a refusal of %j beside its field, keeps what was filled in and writes nothing',
    async (resource, operation, filled, sentence) => {
      const page = pathOf(resource)
      const before = (await visit(page)).text
      const refused = await submit(page, `${page}/${operation}`, filled)
      expect(refused.status).toBe(422)
      const [field = ''] = Object.keys(filled)
      const place = new RegExp(`name="${field}"[^>]*aria-invalid="true".*?<small class="problem"[^>]*>([^<]*)`, 's')
      expect(place.exec(refused.text)?.[1]).toContain(sentence)
      expect(formOf(refused.text, `${page}/${operation}`)).toMatchObject(filled)
      expect(withoutAges((await visit(page)).text)).toBe(withoutAges(before))
    },
  )

  test('a form that was sent back unchanged writes nothing and says so', async () => {
    const page = pathOf('messages')
    const updated = await storedValue('enqueued_messages', 'updated_at', keys.messages ?? '')
    expect((await submit(page, `${page}/enqueued_messages.update`)).location).toBe(`${page}?done=nothing`)
    expect(await storedValue('enqueued_messages', 'updated_at', keys.messages ?? '')).toEqual(updated)
  })

  test('a form does not overwrite what someone else changed after the page was loaded', async () => {
    const page = pathOf('categories')
    const action = `${page}/categories.update`
    const loaded = formOf((await visit(page)).text, action) ?? {}
    await app.patch(`/categories/${keys.categories}`, { name: 'Theirs', description: 'theirs' })
    const refused = await post(action, { ...loaded, name: 'Mine' })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Name was changed meanwhile')])
    expect((await post(action, { ...formOf(refused.text, action), name: 'Mine' })).status).toBe(303)
    expect(await storedValue('categories', 'name', keys.categories ?? '')).toBe('Mine')
    expect(await storedValue('categories', 'description', keys.categories ?? '')).toBe('theirs')
  })

  test('what the operation refuses as a whole stands above the form, with the status of the refusal', async () => {
    const { rows } = await app.pool.query<{ id: string }>(
      "insert into session_logs (session_id, level, content, origin) values ($1, 'info', 'ours', 'service') returning id",
      [keys.sessions],
    )
    const page = `/supervisor/logs/${rows[0]?.id}`
    const refused = await submit(page, `${page}/logs.update`, { content: 'forged' })
    expect([refused.status, refused.text]).toEqual([409, expect.stringMatching(/class="notice bad" role="alert">/)])
    const paused = await submit(pathOf('sessions'), `${pathOf('sessions')}/sessions.pause`)
    expect([paused.status, paused.text]).toEqual([422, expect.stringContaining('class="notice bad"')])
  })

  test('a form of another site, or without the token of its own form, is refused with 403 and changes nothing', async () => {
    const action = `${pathOf('settings')}/settings.update`
    const loaded = formOf((await visit(pathOf('settings'))).text, action) ?? {}
    const changed = { ...loaded, spot_max_concurrent_sessions: '99' }
    for (const fields of [
      { ...changed, form_token: '' },
      { ...changed, form_token: tokens.for('/supervisor/people/ada/people.update') },
    ])
      expect((await post(action, fields)).status).toBe(403)
    expect((await post(action, changed, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await post(action, changed, { 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' })).status).toBe(
      303,
    )
    const other = `${pathOf('people')}/settings.update`
    expect((await post(other, { form_token: tokens.for(other) })).status).toBe(404)
    const nul = await app.send(action, {
      method: 'POST',
      headers: { ...basic, 'content-type': 'application/x-www-form-urlencoded' },
      body: `form_token=${loaded.form_token}&default_model=%00`,
    })
    expect(nul.status).toBe(422)
  })
})

const basic = {
  authorization: `Basic ${Buffer.from(`supervisor:${operatorEnvironment.SUPERVISOR_PASSWORD}`).toString('base64')}`,
  accept: 'text/html',
}

function withoutAges(page: string): string {
  return page.replace(/<time .*?<\/time>/g, '')
}
