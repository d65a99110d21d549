import { readdir } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { recoverSignIns } from '../../../src/domain/login-attempts/drive-sign-in.ts'
import { accountsApp, runtime } from '../../support/accounts/accounts-app.ts'
import { expectProblem } from '../../support/app/app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const { app, rows, clear } = accountsApp({ environment: { RUNTIME_BETA_COMMAND: '/nowhere/codex' } })
afterEach(clear)

const start = async (): Promise<number> => {
  const answer = await app.post('/login_attempts', { runtime, email: 'new@example.test' })
  expect(answer).toMatchObject({ status: 201, body: { login_attempt: { status: 'starting' } } })
  return answer.body.login_attempt.id
}

const reaches = (id: number, status: string) =>
  eventually(
    async () => (await app.get(`/login_attempts/${id}`)).body.login_attempt,
    (attempt) => attempt.status === status,
  )

const folders = () => readdir(`${app.home}/sign-ins`).catch(() => [])

describe('sign-in', () => {
  test('drives the login command, shows its address, gives it the pasted code and adds the account', async () => {
    const id = await start()
    expect(await reaches(id, 'awaiting_code')).toMatchObject({ verification_url: expect.stringContaining('https://') })
    const pasted = await app.post(`/login_attempts/${id}/code`, { code: 'good-123456789012' })
    expect(pasted).toMatchObject({ status: 200 })
    expect(JSON.stringify(pasted.body)).not.toContain('good-123456789012')
    const done = await reaches(id, 'succeeded')
    expect(done).toMatchObject({ account_email: 'new@example.test', error_message: null })
    expect((await app.get('/accounts')).body.accounts).toMatchObject([{ id: done.account_id }])
    expect((await app.get('/login_attempts')).body.login_attempts).toMatchObject([{ id }])
    expect(await rows('select pasted_code from login_attempts')).toEqual([{ pasted_code: null }])
    await eventually(folders, (left) => left.length === 0)
  })

  test('a code that the vendor refuses fails the attempt with its words, and a second code is refused', async () => {
    const id = await start()
    await reaches(id, 'awaiting_code')
    await app.post(`/login_attempts/${id}/code`, { code: 'wrong' })
    expect(await reaches(id, 'failed')).toMatchObject({
      error_message: expect.stringContaining('Invalid authorization'),
    })
    expectProblem(await app.post(`/login_attempts/${id}/code`, { code: 'late' }), 422, 'Validation failed')
    expect((await app.get('/accounts')).body.accounts).toEqual([])
  })

  test('at most ten sign-ins are open, however many are started at once, and a canceled one makes room', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => app.post('/login_attempts', { runtime })))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(4).fill(422)])
    const refused = answers.find(({ status }) => status === 422)
    expect(refused?.body.messages).toEqual(['10 sign-ins are open. Complete or cancel one, or wait until one expires.'])
    const ids = answers.flatMap(({ status, body }) => (status === 201 ? [body.login_attempt.id] : []))
    await app.post(`/login_attempts/${ids[0]}/cancel`)
    await app.post(`/login_attempts/${await start()}/cancel`)
    for (const id of ids) await app.post(`/login_attempts/${id}/cancel`)
  })

  test('a cancelled attempt ends its command and signs no one in', async () => {
    const id = await start()
    await reaches(id, 'awaiting_code')
    const [row] = await rows('select pid from login_attempts where id = $1', [id])
    expect((await app.post(`/login_attempts/${id}/cancel`)).body.login_attempt).toMatchObject({ status: 'canceled' })
    await eventually(
      async () => isRunning(Number(row?.pid)),
      (running) => !running,
    )
    expect((await app.get('/accounts')).body.accounts).toEqual([])
  })

  test('an attempt that cannot be recorded as succeeded adds no account', async () => {
    await app.pool.query(`
      create function refuse_success() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse_success before update on login_attempts
        for each row when (new.status = 'succeeded') execute function refuse_success();
    `)
    try {
      const id = await start()
      await reaches(id, 'awaiting_code')
      await app.post(`/login_attempts/${id}/code`, { code: 'good-123456789012' })
      await reaches(id, 'failed')
      expect((await app.get('/accounts')).body.accounts).toEqual([])
    } finally {
      await app.pool.query('drop trigger refuse_success on login_attempts')
      await app.pool.query('drop function refuse_success')
    }
  })

  test('an attempt whose time is over expires', async () => {
    const id = await start()
    await reaches(id, 'awaiting_code')
    await app.pool.query('update login_attempts set expires_at = now()')
    expect(await reaches(id, 'expired')).toMatchObject({ error_message: expect.any(String) })
  })

  test('an attempt whose host was killed is failed by the next start, and by other hosts after 90 seconds', async () => {
    const insert = async (host: string, age: string): Promise<number> => {
      const { rows: made } = await app.pool.query(
        `insert into login_attempts (runtime, host_id, heartbeat_at, expires_at, status)
         values ($1, $2, now() - $3::interval, now() + interval '5 minutes', 'awaiting_code') returning id`,
        [runtime, host, age],
      )
      return Number(made[0].id)
    }
    const own = await insert(app.app.home.hostId, '1 second')
    const silent = await insert('gone', '91 seconds')
    const alive = await insert('alive', '60 seconds')
    await runPeriodic(app.app, 'end_dead_sign_ins')
    expect(await reaches(silent, 'failed')).toMatchObject({ error_message: expect.stringContaining('silent') })
    await recoverSignIns(app.app)
    expect(await reaches(own, 'failed')).toMatchObject({ error_message: expect.stringContaining('stopped') })
    await reaches(alive, 'awaiting_code')
  })

  test('without the program of the runtime fails with a sentence that says how to install it', async () => {
    const { body } = await app.post('/login_attempts', { runtime: 'runtime_beta' })
    expect((await reaches(body.login_attempt.id, 'failed')).error_message).toMatch(
      /^Cannot start \/nowhere\/codex: .*\. Install it on this host \(npm run agents:install -- runtime_beta\), start Yardmaster again, and sign in again\.$/,
    )
  })

  test('refuses a runtime without accounts', async () => {
    expectProblem(await app.post('/login_attempts', { runtime: 'demo' }), 422, 'Validation failed')
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
