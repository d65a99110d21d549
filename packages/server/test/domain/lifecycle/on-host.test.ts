import { existsSync } from 'node:fs'
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectProblem, sampleRepository } from '../../support/app/app.ts'
import { testDatabase } from '../../support/database/database.ts'
import { type ServerProcess, startServer, testFolder } from '../../support/processes/server-process.ts'
import { atRest, entriesOf, startDemo, waitForStatus } from '../../support/sessions/demo-session.ts'

type TwoHosts = {
  /** Runs the session and holds its files. */
  holder: ServerProcess
  /** Gets the request and holds no files of the session. */
  asked: ServerProcess
  id: number
  query<Row>(sql: string): Promise<Row[]>
  /** Counts the holder as dead at once. By itself that takes 20 s after it was last seen. */
  forgetHolder(): Promise<void>
}

/** A session that has run one turn on `holder`. `asked` starts afterwards, so that it cannot have run the turn. */
async function twoHosts(asked: Record<string, string> = {}): Promise<TwoHosts> {
  const folder = await testFolder()
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { url, pool } = await testDatabase()
  const environment = { DATABASE_URL: url, API_KEYS: 'ours' }
  const holder = await startServer({ home: join(folder, 'holder'), environment })
  const { id } = await startDemo(holder, { git_root, lines: ['say hello', 'write note.txt from the agent'] })
  await atRest(holder, id)
  const other = await startServer({ home: join(folder, 'asked'), environment: { ...environment, ...asked } })
  return {
    holder,
    asked: other,
    id,
    query: async <Row>(sql: string) => (await pool.query(sql)).rows as Row[],
    forgetHolder: async () => {
      const ofHolder = 'id = (select host_id from sessions where id = $1)'
      await pool.query(`update hosts set seen_at = now() - interval '1 hour' where ${ofHolder}`, [id])
    },
  }
}

const cloneOn = ({ home }: ServerProcess, id: number) => join(home, 'clones', `session-${id}`)

test.each([
  ['another worker', {}],
  ['a host that only answers requests', { ROLE: 'web' }],
])('a fork, a refresh and an unarchive requested on %s run on the host that holds the files', async (_name, role) => {
  const { holder, asked, id, query } = await twoHosts(role)

  const forked = await asked.post(`/sessions/${id}/fork`, { message_index: 0 })

  expect(forked.status).toBe(201)
  const fork = forked.body.session.id
  expect(existsSync(join(cloneOn(holder, fork), 'note.txt'))).toBe(true)
  expect(existsSync(cloneOn(asked, fork))).toBe(false)
  expect(await entriesOf(asked, fork)).toHaveLength(1)
  expect(await query('select * from host_calls')).toEqual([])
  await asked.post(`/sessions/${fork}/follow_up`, { prompt: 'say from the fork' })
  expect((await waitForStatus(asked, fork, 'needs_input', 'failed')).status).toBe('needs_input')

  const before = await entriesOf(asked, id)
  const transcripts = join(holder.home, 'runtimes', `session-${id}`, 'transcripts')
  const [file = ''] = await readdir(transcripts)
  const line = { ...before.at(-1), uuid: 'added-by-the-test' }
  await appendFile(join(transcripts, file), `${JSON.stringify(line)}\n`)

  const refreshed = await asked.post(`/sessions/${id}/refresh`)

  expect(refreshed.status).toBe(200)
  expect(refreshed.body.message).toBe(`Transcript refreshed (${before.length + 1} messages)`)
  expect(await entriesOf(asked, id)).toHaveLength(before.length + 1)

  await asked.post(`/sessions/${id}/archive`)
  await rm(cloneOn(holder, id), { recursive: true })

  const unarchived = await asked.post(`/sessions/${id}/unarchive`)

  expect(unarchived.status).toBe(200)
  expect(unarchived.body).toMatchObject({ clone_restored: true, session: { status: 'needs_input' } })
  expect(existsSync(join(cloneOn(holder, id), '.git'))).toBe(true)
  expect(existsSync(cloneOn(asked, id))).toBe(false)
})

test('a host that dies while it serves a fork leaves no session and no open call, and the caller is answered 503', async () => {
  const { holder, asked, id, query, forgetHolder } = await twoHosts()
  // So many that the host dies in the middle of the copy: it copies them one by one, which a busy machine slows down as well.
  const names = Array.from({ length: 4000 }, (_, n) => join(cloneOn(holder, id), `file-${n}`))
  await Promise.all(names.map((name) => writeFile(name, 'text')))

  const asking = asked.post(`/sessions/${id}/fork`, { message_index: 0 })
  const isCopying = async () => (await readdir(join(holder.home, 'clones'))).some((name) => name.endsWith('.partial'))
  while (!(await isCopying())) await new Promise((resolve) => setTimeout(resolve, 5))
  // At once: the processes of the host are listed before it is killed, and it could copy the rest meanwhile.
  process.kill(holder.pid, 'SIGSTOP')
  await holder.kill()
  await forgetHolder()

  expectProblem(await asking, 503, 'Service unavailable')
  expect(await query('select id from sessions')).toHaveLength(1)
  expect(await query('select * from host_calls')).toEqual([])
})

test('a refusal by the host that holds the files reaches the caller unchanged; a host that is not running is a 503, and an unarchive then restores the session where it was asked', async () => {
  const { holder, asked, id, query, forgetHolder } = await twoHosts()
  await rm(cloneOn(holder, id), { recursive: true })

  const refused = await asked.post(`/sessions/${id}/fork`, { message_index: 0 })

  expectProblem(refused, 422, 'Fork failed', 'The clone of the session is gone')
  expect(await query('select * from host_calls')).toEqual([])

  await holder.kill()
  await forgetHolder()

  for (const [operation, body] of [
    ['fork', { message_index: 0 }],
    ['refresh', {}],
  ] as const) {
    const answer = await asked.post(`/sessions/${id}/${operation}`, body)
    expectProblem(answer, 503, 'Service unavailable')
    expect(answer.body.message).toMatch(/not running/)
    expect(answer.headers.get('retry-after')).toBe('30')
  }
  expect(await query('select id from sessions')).toHaveLength(1)

  await asked.post(`/sessions/${id}/archive`)

  const unarchived = await asked.post(`/sessions/${id}/unarchive`)

  expect(unarchived.status).toBe(200)
  expect(unarchived.body).toMatchObject({ clone_restored: true })
  expect(existsSync(cloneOn(asked, id))).toBe(true)
  expect((await entriesOf(asked, id)).length).toBeGreaterThan(0)
})
