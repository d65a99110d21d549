import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { alphaCli } from '../support/accounts/vendor-server.ts'
import { testDatabase } from '../support/database/database.ts'
import {
  identify,
  processesOf,
  type ServerProcess,
  startServer,
  stillRunning,
  testFolder,
} from '../support/processes/server-process.ts'
import { eventually } from '../support/vitest/eventually.ts'

/** No vendor: a new account is not measured. */
const nowhere = 'http://127.0.0.1:9'

const reaches = (server: ServerProcess, id: number, status: string) =>
  eventually(
    async () => (await server.get(`/login_attempts/${id}`)).body.login_attempt,
    (attempt) => attempt.status === status,
  )

async function begin(server: ServerProcess): Promise<number> {
  const answer = await server.post('/login_attempts', { runtime: 'runtime_alpha', email: 'new@example.test' })
  expect(answer).toMatchObject({ status: 201 })
  const { id } = answer.body.login_attempt
  await reaches(server, id, 'awaiting_code')
  return id
}

test('after kill -9 during sign-ins the next start ends their commands, says so, and a person can sign in', async () => {
  const home = join(await testFolder(), 'home')
  const { url, pool } = await testDatabase()
  const environment = {
    DATABASE_URL: url,
    API_KEYS: 'ours',
    RUNTIME_ALPHA_COMMAND: alphaCli,
    ANTHROPIC_BASE_URL: nowhere,
  }
  const start = () => startServer({ home, environment })

  const killed = await start()
  const waiting = await begin(killed)
  const pasted = await begin(killed)
  const { rows } = await pool.query<{ pid: number }>('select pid from login_attempts order by id')
  // Not all of the home: the host also starts processes for the versions of the CLIs, which end by themselves.
  const started = await identify(await processesOf(join(home, 'sign-ins')))
  expect(started.map(({ pid }) => pid)).toEqual(expect.arrayContaining(rows.map(({ pid }) => pid)))
  // The host may die before or after it gave the command the code, and before or after the account is stored.
  await killed.post(`/login_attempts/${pasted}/code`, { code: 'good-123456789012' })
  await killed.kill()

  const server = await start()
  expect(await reaches(server, waiting, 'failed')).toMatchObject({
    error_message: 'The host that ran the command stopped. Try again.',
    account_id: null,
  })
  const { login_attempt: other } = (await server.get(`/login_attempts/${pasted}`)).body
  const { accounts } = (await server.get('/accounts')).body
  if (other.status === 'succeeded') expect(accounts).toMatchObject([{ id: other.account_id }])
  else {
    expect(other).toMatchObject({ status: 'failed', account_id: null })
    expect(accounts).toEqual([])
  }
  expect(await stillRunning(started)).toEqual([])
  await expect(access(join(home, 'sign-ins'))).rejects.toThrow('ENOENT')
  expect((await pool.query('select pasted_code from login_attempts where pasted_code is not null')).rows).toEqual([])

  const again = await begin(server)
  await server.post(`/login_attempts/${again}/code`, { code: 'good-210987654321' })
  expect(await reaches(server, again, 'succeeded')).toMatchObject({ account_email: 'new@example.test' })
})
