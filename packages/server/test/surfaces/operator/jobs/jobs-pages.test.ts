import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { formTokens } from '../../../../src/platform/http/form-tokens.ts'
import { testApp } from '../../../support/app/app.ts'
import { operatorBrowser, operatorEnvironment } from '../../../support/http/operator-browser.ts'

const app = testApp({ environment: operatorEnvironment })
const { visit, post, submit } = operatorBrowser(app)

beforeEach(async () => {
  await app.pool.query('delete from paused_queues')
  await app.pool.query('delete from queue_recovery')
  await app.pool.query('delete from job_counts')
  await app.pool.query('delete from graphile_worker._private_jobs')
})

type Columns = { run_at?: string; attempts?: number; locked_by?: string; last_error?: string; payload?: unknown }

/** A job in the state that the columns make. No host of this file runs jobs. */
async function insertJob(name: string, columns: Columns = {}): Promise<string> {
  const { run_at = 'now()', attempts = 0, locked_by = null, last_error = null, payload = {} } = columns
  const { rows } = await app.pool.query<{ id: string }>(
    `select id::text from graphile_worker.add_job($1, payload => $2, run_at => ${run_at}, max_attempts => 5)`,
    [name, JSON.stringify(payload)],
  )
  const id = rows[0]?.id ?? ''
  await app.pool.query(
    `update graphile_worker._private_jobs
     set attempts = $2, last_error = $3, locked_by = $4, locked_at = case when $4::text is null then null else now() end
     where id = $1`,
    [id, attempts, last_error, locked_by],
  )
  return id
}

async function rowOf(id: string) {
  const { rows } = await app.pool.query(
    'select attempts, last_error, run_at > now() as is_later from graphile_worker.jobs where id = $1',
    [id],
  )
  return rows[0]
}

/** The row of a queue on the board. */
function rowIn(text: string, queue: string): string {
  return text.split('<tr>').find((row) => row.includes(`href="/jobs/list?queue=${queue}"`)) ?? ''
}

describe('the pages below /jobs', () => {
  test.each(['/jobs', '/jobs/list', '/jobs/1', '/jobs/nothing/at/all'])(
    'GET %s answers 401 with a challenge without the password',
    async (path) => {
      const answer = await app.send(path, { headers: { accept: 'text/html' } })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')])
    },
  )

  test('GET /jobs withholds the challenge from a prefetch', async () => {
    const answer = await app.send('/jobs', { headers: { accept: 'text/html', 'sec-purpose': 'prefetch' } })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, null])
  })

  test('GET /jobs shows every queue with its depth, the classes, and no script', async () => {
    await insertJob('prune_notifications')
    await insertJob('prune_notifications', { run_at: "now() + interval '1 hour'" })
    await insertJob('prune_notifications', { attempts: 5, last_error: 'broken' })
    const { status, text, headers } = await visit('/jobs')
    expect(status).toBe(200)
    for (const queue of ['agents', 'pollers', 'triggers', 'inference', 'pushes', 'maintenance', 'default'])
      expect(text).toContain(`href="/jobs/list?queue=${queue}"`)
    for (const state of ['ready', 'scheduled', 'dead'])
      expect(text).toContain(`class=prune_notifications&#38;state=${state}`)
    expect(text).not.toMatch(/<script|onclick=|style="/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('GET /jobs shows how many jobs of each queue ended within an hour', async () => {
    await app.pool.query(
      `insert into job_counts (minute, job, queue, succeeded, failed, last_ended_at) values
       (date_trunc('minute', now()), 'send_push', 'pushes', 41, 2, now()),
       (date_trunc('minute', now()) - interval '2 hours', 'send_push', 'pushes', 500, 0, now())`,
    )
    const { text } = await visit('/jobs')
    expect(text).toContain('<th scope="col">Ended in an hour</th>')
    expect(rowIn(text, 'pushes')).toMatch(/<td>43<small>last <time/)
    expect(rowIn(text, 'default')).not.toContain('<small>last')
  })

  test('GET /jobs shows the queues that recovery mode halts as halted, and the others as running', async () => {
    await app.pool.query(
      `insert into queue_recovery (entered_at, expires_at, reason, entered_by)
       values (now(), now() + interval '10 minutes', null, 'test')`,
    )
    await submit('/jobs', '/jobs/queues/pollers/pause')
    const { text } = await visit('/jobs')
    for (const queue of ['triggers', 'inference', 'maintenance', 'default'])
      expect([queue, rowIn(text, queue)]).toEqual([queue, expect.stringMatching(/>halted<.*recovery mode/s)])
    for (const queue of ['agents', 'pushes']) expect(rowIn(text, queue)).toContain('>running<')
    expect(rowIn(text, 'pollers')).toMatch(/>paused<.*>halted</s)
    await app.pool.query(
      "update queue_recovery set entered_at = now() - interval '2 minutes', expires_at = now() - interval '1 minute'",
    )
    expect((await visit('/jobs')).text).not.toContain('>halted<')
  })

  test('GET /jobs and /jobs/list show no secret of an error that was stored with it', async () => {
    const secret = `ghp_${'x1Y2z3A4b5C6'.repeat(3)}`
    await insertJob('prune_notifications', { attempts: 1, last_error: `${'x'.repeat(280)} ${secret} failed` })
    await insertJob('send_push', { attempts: 1, last_error: `refused ${secret} by the service` })
    await app.pool.query(
      `insert into periodic_runs (name, host_id, last_run_at, last_duration_ms, consecutive_failures, last_error, last_error_at)
       values ('test_task', 'host', now(), 1, 1, $1, now())`,
      [`it said ${secret}`],
    )
    for (const path of ['/jobs', '/jobs/list']) expect((await visit(path)).text).not.toContain(secret.slice(0, 12))
    expect((await visit('/jobs/list')).text).toContain('by the service')
  })

  test('HEAD /jobs answers 200 without a body, and another method answers 404', async () => {
    expect(await visit('/jobs', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect((await visit('/jobs', { method: 'DELETE' })).status).toBe(404)
    expect((await visit('/jobs/1', { method: 'PUT', body: '{}' })).status).toBe(404)
  })

  test('GET /jobs/list filters by queue, class and state, and pages by a cursor', async () => {
    const dead = await insertJob('prune_notifications', { attempts: 5 })
    const { rows: others } = await app.pool.query<{ id: string }>(
      `select job.id::text
       from generate_series(1, 51) as n, graphile_worker.add_job('send_push', json_build_object('n', n)) as job
       order by job.id`,
    )
    const first = await visit('/jobs/list')
    expect([...first.text.matchAll(/href="\/jobs\/(\d+)"/g)]).toHaveLength(50)
    const [, older = ''] = /rel="next" href="([^"]+)"/.exec(first.text) ?? []
    const second = await visit(older.replaceAll('&#38;', '&'))
    expect([...second.text.matchAll(/href="\/jobs\/(\d+)"/g)].map(([, id]) => id)).toEqual([others[0]?.id, dead])
    const filtered = await visit('/jobs/list?class=prune_notifications&state=dead')
    expect([...filtered.text.matchAll(/href="\/jobs\/(\d+)"/g)].map(([, id]) => id)).toEqual([dead])
    expect((await visit('/jobs/list?queue=nothing&state=odd&before=%27')).text).toContain('No job matches')
  })

  test('GET /jobs/:id shows payload and error, escaped and without secrets', async () => {
    const secret = `ghp_${'x1Y2z3A4b5C6'.repeat(3)}`
    const id = await insertJob('prune_notifications', {
      payload: { title: '<script>alert(1)</script>', mark: '\u202eevil', token: secret },
      last_error: `failed with ${secret} <b>`,
    })
    const { text } = await visit(`/jobs/${id}`)
    expect(text).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
    expect(text).toContain('U+202E')
    expect(text).not.toContain(secret.slice(0, 12))
    expect(text).not.toContain('<b> ')
  })

  test('GET /jobs/:id of no job answers 404 as a page', async () => {
    for (const id of ['999999', '0', 'abc', '99999999999999999999', '%00'])
      expect((await visit(`/jobs/${id}`)).status).toBe(404)
  })
})

describe('changing a job', () => {
  test('retry makes a dead job due with all its attempts, and the page says so', async () => {
    const id = await insertJob('prune_notifications', { attempts: 5, last_error: 'broken' })
    const done = await submit(`/jobs/${id}`, `/jobs/${id}/retry`)
    expect([done.status, done.location]).toEqual([303, `/jobs/${id}?done=retry`])
    expect(await rowOf(id)).toMatchObject({ attempts: 0, is_later: false })
    expect((await visit(done.location ?? '')).text).toContain('The job is due now')
  })

  test('reschedule moves a waiting job, and refuses a wrong delay beside its field', async () => {
    const id = await insertJob('prune_notifications')
    expect((await submit(`/jobs/${id}`, `/jobs/${id}/reschedule`, { delay_minutes: '30' })).status).toBe(303)
    expect(await rowOf(id)).toMatchObject({ is_later: true })
    for (const delay of ['-1', 'soon', '10081', '']) {
      const refused = await submit(`/jobs/${id}`, `/jobs/${id}/reschedule`, { delay_minutes: delay })
      expect(refused.status).toBe(422)
      expect(refused.text).toMatch(/aria-invalid="true".*<small class="problem"[^>]*>Minutes from now must be/s)
    }
  })

  test('discard keeps the job with its reason, and delete forgets it', async () => {
    const id = await insertJob('prune_notifications')
    await submit(`/jobs/${id}`, `/jobs/${id}/discard`, { reason: 'a flood' })
    expect(await rowOf(id)).toMatchObject({ attempts: 5, last_error: 'Discarded by the operator: a flood' })
    const deleted = await submit(`/jobs/${id}`, `/jobs/${id}/delete`)
    expect(deleted.location).toBe('/jobs?done=delete')
    expect(await rowOf(id)).toBeUndefined()
  })

  test.each(['retry', 'reschedule', 'discard', 'delete'])(
    '%s never touches a job that a worker has claimed',
    async (verb) => {
      const page = `/jobs/${await insertJob('prune_notifications', { attempts: verb === 'delete' ? 5 : 1 })}`
      const id = page.slice('/jobs/'.length)
      const { text } = await visit(page)
      const [, token = ''] = new RegExp(`action="${page}/${verb}">.*?form_token" value="([^"]+)"`, 's').exec(text) ?? []
      await app.pool.query(
        "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker' where id = $1",
        [id],
      )
      const before = await rowOf(id)
      const refused = await post(`${page}/${verb}`, { form_token: token, delay_minutes: '5' })
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('A worker has claimed the job')])
      expect(await rowOf(id)).toEqual(before)
    },
  )

  test('a job whose row a worker is claiming at this moment is left alone', async () => {
    const id = await insertJob('prune_notifications')
    const worker = await app.pool.connect()
    try {
      await worker.query('begin')
      await worker.query('select from graphile_worker._private_jobs where id = $1 for update', [id])
      const refused = await submit(`/jobs/${id}`, `/jobs/${id}/discard`)
      expect(refused.status).toBe(422)
    } finally {
      await worker.query('rollback')
      worker.release()
    }
    expect(await rowOf(id)).toMatchObject({ attempts: 0, last_error: null })
  })

  test('a job of the agents queue has no forms, and an action on it is refused', async () => {
    const [waiting, other] = [await insertJob('admit_turns'), await insertJob('prune_notifications')]
    expect((await visit(`/jobs/${waiting}`)).text).not.toContain('<form method="post"')
    const { text } = await visit(`/jobs/${other}`)
    expect(text).toContain(`action="/jobs/${other}/discard"`)
    const form_token = formTokens(operatorEnvironment.SUPERVISOR_PASSWORD).for(`/jobs/${waiting}/discard`)
    const refused = await post(`/jobs/${waiting}/discard`, { form_token })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('holds the turns of sessions')])
    expect(await rowOf(waiting)).toMatchObject({ attempts: 0 })
  })
})

describe('pausing a queue', () => {
  test('pause and resume change one queue and say what happens', async () => {
    const paused = await submit('/jobs', '/jobs/queues/pollers/pause')
    expect([paused.status, paused.location]).toEqual([303, '/jobs?done=pause'])
    const { rows } = await app.pool.query('select queue from paused_queues')
    expect(rows).toEqual([{ queue: 'pollers' }])
    expect((await visit('/jobs?done=pause')).text).toContain('The queue is paused.')
    await submit('/jobs', '/jobs/queues/pollers/resume')
    expect((await app.pool.query('select from paused_queues')).rowCount).toBe(0)
  })

  test('a queue cannot be paused where pauses are switched off, and the page offers no button', async () => {
    const { app: parts } = app.host
    parts.hasPauses = false
    onTestFinished(() => {
      parts.hasPauses = true
    })
    expect(rowIn((await visit('/jobs')).text, 'pollers')).toContain('pauses are switched off')
    const path = '/jobs/queues/pollers/pause'
    const refused = await post(path, { form_token: formTokens(operatorEnvironment.SUPERVISOR_PASSWORD).for(path) })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('QUEUE_PAUSES=off')])
    expect((await app.pool.query('select from paused_queues')).rowCount).toBe(0)
  })

  test('the agents queue cannot be paused, and an unknown queue answers 404', async () => {
    const tokens = formTokens(operatorEnvironment.SUPERVISOR_PASSWORD)
    const send = (path: string) => post(path, { form_token: tokens.for(path) })
    expect((await send('/jobs/queues/agents/pause')).status).toBe(422)
    expect((await send('/jobs/queues/nothing/pause')).status).toBe(404)
    expect((await app.pool.query('select from paused_queues')).rowCount).toBe(0)
  })
})

describe('forms of other sites', () => {
  test('an action without the token of its own form is refused with 403 and changes nothing', async () => {
    const id = await insertJob('prune_notifications')
    const { text } = await visit(`/jobs/${id}`)
    const [, ofRetry = ''] = /\/retry">.*?form_token" value="([^"]+)"/s.exec(text) ?? []
    for (const fields of [{}, { form_token: 'wrong' }, { form_token: ofRetry }] as Record<string, string>[])
      expect((await post(`/jobs/${id}/discard`, fields)).status).toBe(403)
    expect((await post(`/jobs/${id}/retry`, { form_token: ofRetry }, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    )
    expect(await rowOf(id)).toMatchObject({ attempts: 0, last_error: null })
  })

  test('a link cannot make a page say what its author wants', async () => {
    expect((await visit('/jobs?done=Send+your+password')).text).not.toContain('Send your password')
    expect((await visit('/jobs?done=constructor')).status).toBe(200)
  })
})
