import { existsSync } from 'node:fs'
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
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
}

/** A session that has run one turn on `holder`. `asked` starts afterwards, so that it cannot have run the turn. */
async function twoHosts(asked: Record<string, string> = {}): Promise<TwoHosts> {
  const folder = await testFolder()
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { url, pool } = await testDatabase({ isEmpty: true })
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
  }
}

const cloneOn = ({ home }: ServerProcess, id: number) => join(home, 'clones', `session-${id}`)

describe.each([
  ['another worker', {}],
  ['a host that only answers requests', { ROLE: 'web' }],
])('requested on %s', (_name, role) => {
  test('a fork is made on the host that holds the clone', async () => {
    const { holder, asked, id, query } = await twoHosts(role)

    const { status, body } = await asked.post(`/sessions/${id}/fork`, { message_index: 0 })

    expect(status).toBe(201)
    const fork = body.session.id
    expect(existsSync(join(cloneOn(holder, fork), 'note.txt'))).toBe(true)
    expect(existsSync(cloneOn(asked, fork))).toBe(false)
    expect(await entriesOf(asked, fork)).toHaveLength(1)
    expect(await query('select * from host_calls')).toEqual([])
    await asked.post(`/sessions/${fork}/follow_up`, { prompt: 'say from the fork' })
    expect((await waitForStatus(asked, fork, 'needs_input', 'failed')).status).toBe('needs_input')
  }, 120_000)

  test('a refresh reads the files on the host that holds them', async () => {
    const { holder, asked, id } = await twoHosts(role)
    const before = await entriesOf(asked, id)
    const transcripts = join(holder.home, 'runtimes', `session-${id}`, 'transcripts')
    const [file = ''] = await readdir(transcripts)
    const line = { ...before.at(-1), uuid: 'added-by-the-test' }
    await appendFile(join(transcripts, file), `${JSON.stringify(line)}\n`)

    const { status, body } = await asked.post(`/sessions/${id}/refresh`)

    expect(status).toBe(200)
    expect(body.message).toBe(`Transcript refreshed (${before.length + 1} messages)`)
    expect(await entriesOf(asked, id)).toHaveLength(before.length + 1)
  }, 120_000)

  test('an unarchive restores the clone on the host that held it', async () => {
    const { holder, asked, id } = await twoHosts(role)
    await asked.post(`/sessions/${id}/archive`)
    await rm(cloneOn(holder, id), { recursive: true })

    const { status, body } = await asked.post(`/sessions/${id}/unarchive`)

    expect(status).toBe(200)
    expect(body).toMatchObject({ clone_restored: true, session: { status: 'needs_input' } })
    expect(existsSync(join(cloneOn(holder, id), '.git'))).toBe(true)
    expect(existsSync(cloneOn(asked, id))).toBe(false)
  }, 120_000)
})

describe('a refusal by the host that holds the files', () => {
  test('a refusal by the host that holds the files reaches the caller on another host unchanged', async () => {
    const { holder, asked, id, query } = await twoHosts()
    await rm(cloneOn(holder, id), { recursive: true })

    const answer = await asked.post(`/sessions/${id}/fork`, { message_index: 0 })

    expectProblem(answer, 422, 'Fork failed', 'The clone of the session is gone')
    expect(await query('select * from host_calls')).toEqual([])
  }, 120_000)
})

describe('when the host that holds the files is not running', () => {
  /** Hosts count as dead 20 s after they were last seen. */
  async function killed(): Promise<TwoHosts> {
    const hosts = await twoHosts()
    const [row] = await hosts.query<{ host_id: string }>(`select host_id from sessions where id = ${hosts.id}`)
    await hosts.holder.kill()
    await hosts.query(`update hosts set seen_at = now() - interval '1 hour' where id = '${row?.host_id}'`)
    return hosts
  }

  test('fork and refresh answer 503 with a time to try again, and change nothing', async () => {
    const { asked, id, query } = await killed()

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
  }, 120_000)

  test('an unarchive restores the session on the host that was asked', async () => {
    const { asked, id } = await killed()
    await asked.post(`/sessions/${id}/archive`)

    const { status, body } = await asked.post(`/sessions/${id}/unarchive`)

    expect(status).toBe(200)
    expect(body).toMatchObject({ clone_restored: true })
    expect(existsSync(cloneOn(asked, id))).toBe(true)
    expect((await entriesOf(asked, id)).length).toBeGreaterThan(0)
  }, 120_000)
})

describe('a host that dies while it serves a fork', () => {
  test('a host that dies while it serves a fork leaves no session and no open call, and the caller is answered 503', async () => {
    const { holder, asked, id, query } = await twoHosts()
    // Large enough that the host dies in the middle of the copy.
    await writeFile(join(cloneOn(holder, id), 'large.bin'), Buffer.alloc(400 * 1024 * 1024))
    const [row] = await query<{ host_id: string }>(`select host_id from sessions where id = ${id}`)

    const asking = asked.post(`/sessions/${id}/fork`, { message_index: 0 })
    const isCopying = async () => (await readdir(join(holder.home, 'clones'))).some((name) => name.endsWith('.partial'))
    while (!(await isCopying())) await new Promise((resolve) => setTimeout(resolve, 5))
    await holder.kill()
    await query(`update hosts set seen_at = now() - interval '1 hour' where id = '${row?.host_id}'`)

    expectProblem(await asking, 503, 'Service unavailable')
    expect(await query('select id from sessions')).toHaveLength(1)
    expect(await query('select * from host_calls')).toEqual([])
  }, 120_000)
})
