import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp, testApp } from '../support/app/app.ts'
import { insertSession } from '../support/sessions/session-rows.ts'
import { eventually } from '../support/vitest/eventually.ts'

const password = 'open sesame, and let no agent lock me out'
const basic = (given: string) => `Basic ${Buffer.from(`supervisor:${given}`).toString('base64')}`
const app = testApp({ environment: { ROLE: 'web', SUPERVISOR_PASSWORD: password, API_KEYS: 'test-key' } })
const operator = { authorization: basic(password) }
const navigation = { accept: 'text/html,*/*;q=0.8' }

async function send(
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const answer = await app.send(path, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** What a path answers, asked again where a busy machine made a section of the report miss its time. */
async function wholeText(path: string, headers: Record<string, string>): Promise<string> {
  const isWhole = ({ text }: { text: string }) => !text.includes('section_failed')
  return (await eventually(() => send(path, { headers }), isWhole)).text
}

const gated = [
  'cleanup_processes',
  'retry_sessions',
  'archive_old',
  'enter_queue_recovery_mode',
  'run_post_deploy_tasks',
  'discard_queued_jobs',
  'reschedule_queued_jobs',
]

describe('GET /health outside the API', () => {
  test('GET /health is a page for a person and JSON for a program, without a key', async () => {
    const page = await send('/health', { headers: navigation })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('<h1>Health</h1>')
    expect(page.text).not.toContain('<script')
    expect(page.text).not.toContain('http-equiv="refresh"')
    for (const path of ['/health', '/health/refresh']) {
      const json = await send(path)
      expect(JSON.parse(json.text)).toMatchObject({
        health_report: { overall_status: {} },
        ruby_version: expect.any(String),
      })
    }
    expect((await send('/health?refresh=on', { headers: navigation })).text).toContain(
      'http-equiv="refresh" content="30"',
    )
  })

  test('GET /health shows hostile text of sessions as text', async () => {
    const id = await insertSession(app.pool, { status: 'failed', title: '<img src=x onerror=alert(1)>\u202e' })
    await app.pool.query(
      "insert into session_logs (session_id, level, content, origin) values ($1, 'error', '<script>x', 'service')",
      [id],
    )
    const headers = { ...navigation, ...operator }
    const { text } = await send('/health?did=%3Cscript%3E&count=%3Cb%3E', { headers })
    expect(text).toContain('&#60;img src=x onerror=alert(1)&#62;')
    expect(text).not.toContain('\u202e')
    expect(text).not.toMatch(/<script|<img|<b>\d/)
  })

  test('GET /health tells the names of sessions and repositories only to a key or the operator, and counts a wrong one as a guess', async () => {
    const id = await insertSession(app.pool, { status: 'failed', title: 'Hidden title', git_root: '/hidden/root' })
    await app.pool.query(
      `insert into turns (session_id, sequence, prompt, state, source, outcome, failed_starts)
       values ($1, 1, 'p', 'ended', 'create', 'failed', 2), ($1, 2, 'p', 'ended', 'recovery', 'completed', 0)`,
      [id],
    )
    await app.pool.query(
      "insert into session_logs (session_id, level, content, origin) values ($1, 'error', 'no /hidden/root there', 'service')",
      [id],
    )
    const read = (headers: Record<string, string>) => wholeText('/health', headers)
    const namesOf = (text: string) => {
      const {
        sigterm_retry_health: one,
        api_error_retry_health: two,
        retry_budget_health,
      } = JSON.parse(text).health_report
      const lists = [one.recent_sigterm_sessions, two.recent_api_error_sessions]
      for (const { recent_sessions } of retry_budget_health.budgets) lists.push(recent_sessions)
      return lists.map(([{ id: of, title, git_root }]) => ({ of, title, git_root }))
    }
    const four = (names: object) => Array.from({ length: 4 }, () => ({ of: id, ...names }))
    for (const headers of [{ 'x-api-key': 'test-key' }, operator] as Record<string, string>[])
      expect(namesOf(await read(headers))).toEqual(four({ title: 'Hidden title', git_root: '/hidden/root' }))
    for (let guess = 0; guess < 25; guess += 1) {
      const text = await read(guess === 0 ? {} : { authorization: basic(`guess ${guess}`) })
      expect(namesOf(text)).toEqual(four({ title: null, git_root: null }))
      expect(text).not.toMatch(/hidden/i)
    }
    expect((await send('/supervisor', { headers: { authorization: basic('another') } })).status).toBe(429)
    await app.pool.query('delete from sessions where id = $1', [id])
  })

  test('GET /health tells the owners of accounts and the errors of background work only to a key or the operator', async () => {
    await app.pool.query(
      "insert into accounts (runtime, email, is_current) values ('runtime_alpha', 'ada@hidden.test', true)",
    )
    await app.pool.query(
      `insert into hosts values ('h', now());
       insert into periodic_runs (name, host_id, last_run_at, last_duration_ms, last_error, consecutive_failures)
       values ('post_deploy_tasks', 'h', now(), 1, 'https://forge.hidden.test/acme answered 500', 3);
       insert into post_deploy_tasks (version, name, status, last_error) values ('20990101000000', 'odd', 'failed', 'no hidden.test')`,
    )
    onTestFinished(
      async () =>
        void (await app.pool.query(
          'delete from accounts; delete from hosts; delete from periodic_runs; delete from post_deploy_tasks',
        )),
    )
    const text = (headers: Record<string, string>, path = '/health') => wholeText(path, headers)
    const known = await text(operator)
    for (const name of ['ada@hidden.test', 'forge.hidden.test', 'no hidden.test']) expect(known).toContain(name)
    for (const seen of [await text({}), await text(navigation), await text({}, '/health/export_diagnostics')]) {
      expect(seen).not.toContain('hidden.test')
      expect(seen).toContain('[left out]')
    }
  })

  test('GET /health does not wait for a key that the database does not look up', async () => {
    const blocker = await app.pool.connect()
    await blocker.query('begin')
    await blocker.query('lock table api_keys in access exclusive mode')
    try {
      const headers = { 'x-api-key': `ymk_${'a'.repeat(43)}` }
      const answer = await app.send('/health', { headers, signal: AbortSignal.timeout(120_000) })
      expect([answer.status, JSON.parse(await answer.text()).health_report.overall_status.status]).toEqual([
        200,
        'critical',
      ])
    } finally {
      await blocker.query('rollback')
      blocker.release()
    }
  })

  test('GET /health/export_diagnostics is one redacted JSON file that names no session, repository or command', async () => {
    await app.pool.query(
      "insert into session_logs (session_id, level, content, origin) select max(id), 'error', 'the password is open sesame, and let no agent lock me out', 'service' from sessions",
    )
    const { headers, text } = await send('/health/export_diagnostics')
    expect(headers.get('content-disposition')).toBe('attachment; filename="yardmaster-diagnostics.json"')
    expect(JSON.parse(text)).toMatchObject({
      exported_at: expect.stringMatching(/Z$/),
      health_report: { session_health: { recent_failures: [{ title: null, git_root: null }] } },
      settings: { spot_max_concurrent_sessions: 10 },
      queued_jobs: { matched: expect.any(Number) },
    })
    expect(text).not.toContain('open sesame')
  })
})

describe('POST below /health', () => {
  test.each(gated)(
    'POST /health/%s needs the password of the operator, which an API key does not replace',
    async (name) => {
      for (const headers of [{}, { 'x-api-key': 'test-key' }] as Record<string, string>[]) {
        expect((await send(`/health/${name}`, { method: 'POST', headers })).status).toBe(401)
      }
      const page = await send(`/health/${name}`, { method: 'POST', headers: navigation })
      expect(page).toMatchObject({ status: 401, text: expect.stringContaining('SUPERVISOR_PASSWORD') })
      expect([page.headers.get('www-authenticate'), page.headers.get('content-type')]).toEqual([
        'Basic realm="Yardmaster operator", charset="UTF-8"',
        'text/html; charset=utf-8',
      ])
    },
  )

  test('POST below /health answers a program with the body of the API, and a form with a redirect to the page', async () => {
    const json = { ...operator, 'content-type': 'application/json' }
    const form = {
      ...operator,
      ...navigation,
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    }
    const archived = await send('/health/archive_old', { method: 'POST', headers: json, body: '{"days": 365}' })
    expect(JSON.parse(archived.text)).toMatchObject({ archived: [], remaining: 0 })
    const again = await send('/health/archive_old', { method: 'POST', headers: form, body: 'days=3' })
    expect(again.status).toBe(429)
    const retried = await send('/health/retry_sessions', { method: 'POST', headers: form, body: '' })
    expect([retried.status, retried.headers.get('location')]).toEqual([303, '/health?did=retry_sessions&count=1'])
    expect((await send(retried.headers.get('location') ?? '', { headers: navigation })).text).toContain(
      '1 sessions start again.',
    )
    const tasks = await send('/health/run_post_deploy_tasks', { method: 'POST', headers: operator })
    expect(JSON.parse(tasks.text)).toMatchObject({ enqueued: true })
    const cleaned = await send('/health/cleanup_processes', { method: 'POST', headers: operator })
    expect(JSON.parse(cleaned.text)).toMatchObject({ terminated: [], hosts: [] })
  })

  test('POST below /health confirms the count of a form, and refuses another with a page', async () => {
    await app.pool.query(
      "delete from graphile_worker._private_jobs; select graphile_worker.add_job('look_at_clis', '{}') from generate_series(1, 2)",
    )
    const headers = { ...operator, ...navigation, 'content-type': 'application/x-www-form-urlencoded' }
    const discard = (body: string) => send('/health/discard_queued_jobs', { method: 'POST', headers, body })
    const refused = await discard('queue_name=maintenance&job_class=&expected_count=3&reason=')
    expect(refused).toMatchObject({ status: 422, text: expect.stringContaining('expected 3, 2 match') })
    const moved = await send('/health/reschedule_queued_jobs', {
      method: 'POST',
      headers,
      body: 'queue_name=maintenance&expected_count=2&delay_minutes=5',
    })
    expect(moved.headers.get('location')).toBe('/health?did=reschedule_queued_jobs&count=2')
    expect((await discard('queue_name=maintenance&expected_count=2')).headers.get('location')).toBe(
      '/health?did=discard_queued_jobs&count=2',
    )
  })

  test('POST /health/exit_queue_recovery_mode is open, except to pages of other sites', async () => {
    await app.pool.query(
      "insert into queue_recovery values (true, now() - interval '1 min', now() + interval '5 min', 'x', 'test')",
    )
    expect((await send('/health', { headers: navigation })).text).toContain('Queue recovery mode is on')
    const evil = { origin: 'https://evil.test' }
    expect((await send('/health/exit_queue_recovery_mode', { method: 'POST', headers: evil })).status).toBe(403)
    const answer = await send('/health/exit_queue_recovery_mode', { method: 'POST' })
    expect(JSON.parse(answer.text)).toMatchObject({ active: false })
  })

  test('POST /health/enter_queue_recovery_mode says who entered it, and is closed without a password', async () => {
    const entered = await send('/health/enter_queue_recovery_mode', { method: 'POST', headers: operator })
    expect(JSON.parse(entered.text)).toMatchObject({ active: true, entered_by: 'web UI' })
    await send('/health/exit_queue_recovery_mode', { method: 'POST' })
    const { app: closed, stop } = await startTestApp({ environment: { ROLE: 'web', SUPERVISOR_PASSWORD: '  ' } })
    onTestFinished(stop)
    const refused = await closed.send('/health/enter_queue_recovery_mode', { method: 'POST', headers: operator })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, null])
    expect((await closed.send('/supervisor')).status).toBe(401)
  })
})
