import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, sampleRepository, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { newSleep, pidsOf } from '../../support/processes/by-command.ts'
import { atRest, findDemo, startDemo } from '../../support/sessions/demo-session.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
let folder = ''
let repository = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-delete-'))
  repository = await sampleRepository(join(folder, 'widgets'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Tables with rows of a session, except the outbox, which keeps the `session.deleted` event. */
async function tablesMentioning(sessionId: number): Promise<string[]> {
  const { rows } = await app.pool.query<{ table: string; column: string }>(`
    select c.table_name as table, c.column_name as column
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public'
      and t.table_type = 'BASE TABLE'
      and (c.column_name = 'session_id' and c.data_type = 'bigint' or (c.table_name, c.column_name) = ('sessions', 'id'))
      and c.table_name <> 'events'
      -- The indexer maintains these in the background and removes rows of deleted sessions later.
      and c.table_name not like 'search\\_%'
  `)
  const mentioning: string[] = []
  for (const { table, column } of rows) {
    const { rowCount } = await app.pool.query(`select from ${table} where ${column} = $1`, [sessionId])
    if (rowCount !== null && rowCount > 0) mentioning.push(table)
  }
  return mentioning.sort()
}

async function searchableRows(sessionId: number): Promise<number> {
  const { rows } = await app.pool.query<{ count: number }>(
    `select count(*)::int from (
       select session_id from search_marks
       union all select session_id from search_chunks
       union all select session_id from search_documents
     ) as searchable
     where session_id = $1`,
    [sessionId],
  )
  return rows[0]?.count ?? 0
}

/** The session's folders in the home. */
async function filesOf(sessionId: number): Promise<string[]> {
  const found: string[] = []
  for (const folder of ['clones', 'runtimes']) {
    const names = await readdir(join(app.home, folder)).catch(() => [])
    found.push(...names.filter((name) => name === `session-${sessionId}`).map((name) => `${folder}/${name}`))
  }
  return found
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('DELETE /sessions/:id answers 204', () => {
  test.each(['waiting', 'running', 'needs_input', 'failed', 'archived'])(
    'DELETE /sessions/:id answers 204 for a session in the status %s, without a body',
    async (status) => {
      const id = await insertSession(app.pool, {
        status,
        archived_at: status === 'archived' ? '2026-08-22T18:09:42Z' : null,
      })
      const answer = await app.delete(`/sessions/${id}`)
      expect([answer.status, answer.body]).toEqual([204, ''])
      expectProblem(await app.get(`/sessions/${id}`), 404, 'Not Found')
      expectProblem(await app.get(`/sessions/${id}/transcript`), 404, 'Not Found')
      expectProblem(await app.delete(`/sessions/${id}`), 404, 'Not Found')
    },
  )

  test('DELETE /sessions/:id answers 204 for a session named by its slug', async () => {
    const id = await insertSession(app.pool, { slug: 'to-be-deleted' })
    expect((await app.delete('/sessions/to-be-deleted')).status).toBe(204)
    expect((await app.get(`/sessions/${id}`)).status).toBe(404)
  })

  test('DELETE /sessions/:id answers 204 and publishes session.deleted', async () => {
    const id = await insertSession(app.pool)
    await app.delete(`/sessions/${id}`)
    const { rows } = await app.pool.query('select name from events where session_id = $1', [id])
    expect(rows).toEqual([{ name: 'session.deleted' }])
  })

  test('DELETE /sessions/:id answers 204 and keeps children without a parent, and deletes summary forks', async () => {
    const id = await insertSession(app.pool)
    const child = await insertSession(app.pool, { parent_session_id: id })
    const fork = await insertSession(app.pool, { summary_of_session_id: id })
    await insertTranscript(app.pool, fork, ['{"n":1}'])
    await app.delete(`/sessions/${id}`)
    const { rows } = await app.pool.query('select id, parent_session_id from sessions where id in ($1, $2)', [
      child,
      fork,
    ])
    expect(rows).toEqual([{ id: String(child), parent_session_id: null }])
    expect(await tablesMentioning(fork)).toEqual([])
  })

  test('DELETE /sessions/:id answers 204 and leaves no row in any table and, after the job, no file on disk', async () => {
    const { id } = await startDemo(app, { git_root: repository, lines: ['say hello', 'spawn say from below'] })
    expect((await atRest(app, id)).status).toBe('needs_input')
    // Background work may have added more.
    expect(await tablesMentioning(id)).toEqual(
      expect.arrayContaining([
        'session_logs',
        'session_transitions',
        'sessions',
        'subagent_transcripts',
        'transcript_entries',
        'transcript_threads',
        'turns',
      ]),
    )
    expect(await filesOf(id)).toEqual([`clones/session-${id}`, `runtimes/session-${id}`])
    expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
    expect(await tablesMentioning(id)).toEqual([])
    await eventually(
      () => filesOf(id),
      (files) => files.length === 0,
    )
    await eventually(
      () => searchableRows(id),
      (count) => count === 0,
    )
  })

  test('DELETE /sessions/:id answers 204 and removes no row or file of another session', async () => {
    const { id } = await startDemo(app, { git_root: repository, lines: ['say hello'] })
    await atRest(app, id)
    const { id: other } = await startDemo(app, { git_root: repository, lines: ['say hello'] })
    await atRest(app, other)
    const rows = await tablesMentioning(other)
    await app.delete(`/sessions/${id}`)
    await eventually(
      () => filesOf(id),
      (files) => files.length === 0,
    )
    expect(await tablesMentioning(other)).toEqual(expect.arrayContaining(rows))
    expect(await filesOf(other)).toHaveLength(2)
  })

  test('DELETE /sessions/:id answers 204 for a running session, and kills its agent and the processes it started, and removes its files', async () => {
    const command = newSleep()
    const { id } = await startDemo(app, { git_root: repository, lines: [`run exec ${command}`] })
    const [child = 0] = await eventually(
      () => pidsOf(command),
      (pids) => pids.length > 0,
    )
    const { status } = await eventually(
      () => findDemo(app, id),
      (session) => session.status !== 'waiting',
    )
    const { rows } = await app.pool.query('select pid from turns where session_id = $1', [id])
    const agent: number = rows[0].pid
    expect([status, isAlive(agent), isAlive(child)]).toEqual(['running', true, true])
    expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
    expect(await tablesMentioning(id)).toEqual([])
    await eventually(
      async () => [agent, child].filter(isAlive),
      (alive) => alive.length === 0,
    )
    await eventually(
      () => filesOf(id),
      (files) => files.length === 0,
    )
    expect((await app.get(`/sessions/${id}`)).status).toBe(404)
  })

  test('DELETE /sessions/:id answers 204 for a session with an unclaimed turn, which then never runs', async () => {
    await app.pool.query(`insert into paused_queues (queue) values ('agents')`)
    try {
      await eventually(
        async () =>
          (await app.pool.query(`select from graphile_worker._private_jobs where locked_at is not null`)).rowCount,
        (count) => count === 0,
      )
      const { id } = await startDemo(app, { git_root: repository, lines: ['say hello'] })
      expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
      expect(await tablesMentioning(id)).toEqual([])
    } finally {
      await app.pool.query('delete from paused_queues')
    }
    // The job of the deleted turn does not disturb the next session.
    const { id: next } = await startDemo(app, { git_root: repository, lines: ['say hello'] })
    expect((await atRest(app, next)).status).toBe('needs_input')
  })
})

test.each(['999999', '0', '99999999999999999999', 'no-such-slug', '%00'])(
  'DELETE /sessions/:id answers 404 for the unknown session %s and changes nothing',
  async (id) => {
    await insertSession(app.pool)
    const answer = await changesNothing(app.pool, () => app.delete(`/sessions/${id}`))
    expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
  },
)

test('DELETE /sessions/:id answers 401 without a key and changes nothing', async () => {
  const id = await insertSession(app.pool)
  const response = await changesNothing(app.pool, () => app.send(`/api/v1/sessions/${id}`, { method: 'DELETE' }))
  expect(response.status).toBe(401)
})
