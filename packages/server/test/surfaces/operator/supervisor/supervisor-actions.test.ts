import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { resources } from '../../../../src/surfaces/operator/supervisor/resources.ts'
import { testApp } from '../../../support/app/app.ts'
import { operatorBrowser, operatorEnvironment } from '../../../support/http/operator-browser.ts'
import { insertRunningSession, insertSession, insertTranscript } from '../../../support/sessions/session-rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardmaster-supervisor-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const runtimesPath = join(folder, 'runtimes.json')
const helper = { name: 'helper', driver: 'acp', command: '/bin/true', environment: ['HELPER_API_KEY'] }
writeFileSync(runtimesPath, JSON.stringify({ runtimes: [helper] }))

const app = testApp({ environment: { ...operatorEnvironment, RUNTIMES_PATH: runtimesPath } })
const { visit, submit } = operatorBrowser(app)

type Press = {
  /** Makes the record, and returns its key. */
  make(): Promise<string>
  filled?: Record<string, string> | (() => Promise<Record<string, string>>)
  /** A column of the record afterwards, and its value. Without it, the record is gone. */
  stored?: readonly [column: string, value: unknown]
}

let made = 0

async function inserted(statement: string, ...values: unknown[]): Promise<string> {
  return String((await app.pool.query<{ id: string }>(`${statement} returning id`, values)).rows[0]?.id)
}

async function posted(path: string, body: Record<string, unknown>): Promise<string> {
  const answer = await app.post(path, body)
  expect(answer.status).toBe(201)
  const [record] = Object.values<{ id?: number; key?: string }>(answer.body)
  return String(record?.id ?? record?.key)
}

const session = async (columns = {}) => String(await insertSession(app.pool, { status: 'needs_input', ...columns }))
const ofSession = async (path: string, body: Record<string, unknown>) =>
  posted(`/sessions/${await session()}/${path}`, body)
const trigger = () =>
  posted('/triggers', {
    name: 'Nightly',
    agent_root_name: 'root',
    prompt_template: 'Hello',
    trigger_conditions_attributes: [
      { condition_type: 'schedule', configuration: { unit: 'days', interval: 1, time: '03:00', timezone: 'UTC' } },
    ],
  })
const condition = async () => {
  const { rows } = await app.pool.query('select id from trigger_conditions where trigger_id = $1', [await trigger()])
  return String(rows[0]?.id)
}
const category = () => {
  made += 1
  return posted('/categories', { name: `Category ${made}` })
}
const item = (pinned = false) => {
  made += 1
  return inserted(
    `insert into work_backlog_items (key, repo, surface, title, kind, scope_direction, estimated_cost, added_at, added_by,
       added_via, precedence, pinned)
     values ($1, 'acme/web', 'web', 'Mend it', 'bug', 'convergent', 'small', now(), 'human', 'api', 6000, $2)`,
    `item-${made}`,
    pinned,
  )
}
const message = async () =>
  inserted('insert into enqueued_messages (session_id, content, position) values ($1, $2, 1)', await session(), 'Hi')
const elicitation = async () =>
  inserted(
    `insert into elicitations (session_id, request_id, namespace, asked_by, message, expires_at)
     values ($1, 'r1', 'com.yardmaster', 'api', 'Which one?', now() + interval '1 hour')`,
    await session(),
  )
const log = () => ofSession('logs', { level: 'info', content: 'a line' })
const subagent = () => ofSession('subagent_transcripts', { agent_id: 'helper' })
const person = () => {
  made += 1
  return posted('/people', { key: `person-${made}`, display_name: 'Bob' })
}
const notification = async (isRead = false) =>
  inserted(
    `insert into notifications (session_id, notification_type, title, body, read)
     values ($1, 'custom_message', 'Hi', 'Hi', $2)`,
    await session(),
    isRead,
  )
const summary = async () => {
  const id = await session()
  await insertTranscript(app.pool, Number(id), ['{}'])
  await app.pool.query(`insert into session_status_summaries (session_id, state) values ($1, 'idle')`, [id])
  return id
}

const apiKey = async () => {
  made += 1
  return inserted(
    `insert into api_keys (hash, label, scope, beginning, made_by) values (sha256($1), $2, 'full', 'ymk_abcd', 'operator')`,
    Buffer.from(`key ${made}`),
    `Key ${made}`,
  )
}
const account = async () => {
  made += 1
  const id = await inserted(
    `insert into accounts (runtime, email) values ('runtime_alpha', $1)`,
    `a${made}@example.test`,
  )
  const sealed = app.host.app.vault.seal({ table: 'accounts', column: 'login', id }, '{}')
  await app.pool.query('update accounts set login = $1 where id = $2', [sealed, id])
  return id
}
const accountWithoutLogin = () => {
  made += 1
  return inserted(`insert into accounts (runtime, email) values ('runtime_beta', $1)`, `a${made}@example.test`)
}
const loginAttempt = () =>
  inserted(`insert into login_attempts (runtime, expires_at) values ('runtime_alpha', now() + $1::interval)`, '1 hour')
const sealed = `v1.${'0'.repeat(16)}.sealed`
const socialCredential = () =>
  inserted(
    `insert into social_credentials (id, account_key, access_token_env_var, access_token, token_endpoint)
     values (gen_random_uuid(), 'ada', 'X_ACCESS_TOKEN', $1, 'https://provider.test/token')`,
    sealed,
  )

const mcpCredential = () => {
  made += 1
  return inserted(
    `insert into mcp_credentials
       (id, credential_key, server_name, server_url, client_id, client_auth_method, access_token, refresh_token_unsupported)
     values (gen_random_uuid(), $1, 'calendar', 'https://mcp.test', 'us', 'none', $2, false)`,
    `key-${made}`,
    sealed,
  )
}
const providerKey = async () => {
  const statement =
    "insert into provider_keys (runtime, key) values ('helper', $1) on conflict (runtime) do update set key = excluded.key"
  await app.pool.query(statement, [sealed])
  return 'helper'
}
const batch = async () => {
  const id = await inserted('insert into outcome_batches (concurrency, created_at) values ($1, now())', 1)
  await app.pool.query('insert into outcome_items (batch_id, session_id) values ($1, $2)', [id, await session()])
  return id
}

/** What each button is pressed with, by resource and operation. */
const presses: Record<string, Press> = {
  'sessions sessions.update': {
    make: session,
    filled: { title: 'A better title', goal: 'one\r\ntwo', custom_metadata: '{"big": 12345678901234567890}' },
    stored: [`goal || custom_metadata::text`, 'one\ntwo{"big": 12345678901234567890}'],
  },
  'sessions sessions.update_notes': {
    make: session,
    filled: { session_notes: 'Look at this' },
    stored: ['session_notes', 'Look at this'],
  },
  'sessions sessions.set_category': {
    make: session,
    filled: async () => ({ category_id: await category() }),
    stored: ['category_id is not null', true],
  },
  'sessions sessions.pause': {
    make: async () => String(await insertRunningSession(app.pool)),
    stored: ['status', 'needs_input'],
  },
  'sessions sessions.restart': {
    make: () => session({ status: 'failed', prompt: 'say hello' }),
    stored: ['status', 'waiting'],
  },
  'sessions sessions.unarchive': {
    make: () => session({ status: 'archived', archived_at: new Date() }),
    stored: ['status', 'needs_input'],
  },
  'sessions sessions.archive': { make: session, filled: { force: 'true' }, stored: ['status', 'archived'] },
  'sessions sessions.delete': { make: session },
  'api_keys api_keys.revoke': { make: apiKey, stored: ['revoked_at is not null', true] },
  'triggers triggers.update': {
    make: trigger,
    filled: { name: 'Hourly', max_sessions_per_minute: '3' },
    stored: ['max_sessions_per_minute', 3],
  },
  'triggers triggers.toggle': { make: trigger, stored: ['status', 'disabled'] },
  'triggers triggers.delete': { make: trigger },
  'conditions triggers.update': {
    make: condition,
    filled: { configuration: '{"unit": "days", "interval": 2, "time": "04:00", "timezone": "UTC"}' },
    stored: ["configuration ->> 'time'", '04:00'],
  },
  'work_backlog work_backlog_items.pin': {
    make: () => item(),
    filled: { precedence: '7500' },
    stored: ['pinned and precedence = 7500', true],
  },
  'work_backlog work_backlog_items.unpin': { make: () => item(true), stored: ['pinned', false] },
  'work_backlog work_backlog_items.start_now': { make: () => item(), stored: ['started_session_id is not null', true] },
  'work_backlog work_backlog_items.remove': {
    make: () => item(),
    filled: { reason: 'superseded', removed_by: 'human' },
    stored: ['removal_reason', 'superseded'],
  },
  'gate_decisions gate_decisions.add_feedback': {
    make: () => posted('/gate_decisions', { gate: 'pr', surface: 'web', entry: {} }),
    filled: { verdict: 'too strict', note: '', author: ' Ada ' },
    stored: [
      "(select verdict || ' ' || author from gate_feedbacks where decision_id = gate_decisions.id and note is null)",
      'too strict Ada',
    ],
  },
  'categories categories.update': { make: category, filled: { is_frozen: 'true' }, stored: ['is_frozen', true] },
  'categories categories.delete': { make: category },
  'messages enqueued_messages.update': {
    make: message,
    filled: { content: 'another' },
    stored: ['content', 'another'],
  },
  'messages enqueued_messages.delete': { make: message },
  'elicitations elicitations.respond': {
    make: elicitation,
    filled: { action_type: 'decline' },
    stored: ['status', 'decline'],
  },
  'logs logs.update': { make: log, filled: { content: 'another' }, stored: ['content', 'another'] },
  'logs logs.delete': { make: log },
  'subagents subagents.update': { make: subagent, filled: { status: 'completed' }, stored: ['status', 'completed'] },
  'subagents subagents.delete': { make: subagent },
  'settings settings.update': {
    make: async () => 'true',
    filled: { spot_max_concurrent_sessions: '7' },
    stored: ['spot_max_concurrent_sessions', 7],
  },
  'people people.update': {
    make: person,
    filled: { display_name: 'Ada', chat_user_id: 'U012AB3CD' },
    stored: ['chat_user_id', 'U012AB3CD'],
  },
  'people people.delete': { make: person },
  'social_credentials social_credentials.delete': { make: socialCredential },
  'mcp_credentials connectors.disconnect': { make: mcpCredential },
  'provider_keys provider_keys.set': {
    make: providerKey,
    filled: { key: 'sk-helper-0123456789' },
    stored: [`key::text <> '${sealed}'`, true],
  },
  'provider_keys provider_keys.delete': { make: providerKey },
  'outcome_batches outcome_analyses.cancel_batch': {
    make: batch,
    stored: ['(select state from outcome_items where batch_id = outcome_batches.id)', 'cancelled'],
  },
  'notifications notifications.mark_read': { make: () => notification(), stored: ['read', true] },
  'notifications notifications.dismiss': { make: () => notification(true) },
  'accounts accounts.update': { make: account, filled: { priority: '7' }, stored: ['priority', 7] },
  'accounts accounts.switch': { make: account, stored: ['is_current', true] },
  'accounts accounts.refresh': { make: accountWithoutLogin, stored: ['status', 'active'] },
  'accounts accounts.delete': { make: account },
  'login_attempts login_attempts.cancel': { make: loginAttempt, stored: ['status', 'canceled'] },
  'summaries sessions.regenerate_status_summary': { make: summary, stored: ['state', 'pending'] },
}

const buttons = resources.flatMap((resource) =>
  resource.forms.map((form) => ({ name: `${resource.name} ${form.operation}`, resource, form })),
)

describe('the buttons of /supervisor', () => {
  test('every press is of a button that the table of resources has', () => {
    expect(Object.keys(presses).toSorted()).toEqual(buttons.map(({ name }) => name).toSorted())
  })

  test.each(buttons)('pressing $name calls its operation, and the page says so', async ({ name, resource, form }) => {
    const press = presses[name]
    if (!press) throw new Error(`no test presses ${name}: add it to the table of this file`)
    const key = await press.make()
    const list = `/supervisor/${resource.name}`
    const page = `${list}/${key}`
    const filled = typeof press.filled === 'function' ? await press.filled() : press.filled
    const done = await submit(page, `${page}/${form.operation}`, filled)
    expect([done.status, done.location]).toEqual([303, `${form.isLast ? list : page}?done=${form.operation}`])
    expect((await visit(done.location ?? '')).text).toMatch(
      form.fields ? 'role="status">Saved.' : `role="status">Done: ${form.button}.`,
    )
    const column = press.stored?.[0] ?? 'true'
    const { rows } = await app.pool.query(
      `select ${column} as value from ${resource.table} where ${resource.key}::text = $1`,
      [key],
    )
    expect(rows).toEqual(press.stored ? [{ value: press.stored[1] }] : [])
  })
})
