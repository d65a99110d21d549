import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runtimeHome } from '../../../src/domain/workspaces/folders.ts'
import { rereadUsage } from '../../../src/domain/workspaces/reread-usage.ts'
import { testApp } from '../../support/app/app.ts'
import { callLine, forgetUsage, sweepHelpers } from '../../support/costs/sweeps.ts'
import { stopQueue } from '../../support/jobs/stop-queue.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp()
const { sweepAll, coverage, backfill, ledger } = sweepHelpers(app)

// Each test runs the slices itself.
beforeAll(() => stopQueue(app.host.app.db, 'maintenance'))
beforeEach(() => forgetUsage(app))

describe('a session on another host', () => {
  const away = async () => {
    const columns = { host_id: 'elsewhere', session_id: randomUUID(), metadata: { working_directory: '/srv/clone' } }
    const session = await insertSession(app.pool, columns)
    await insertTranscript(app.pool, session, [callLine(`stored-${session}`)])
    return session
  }
  const elsewhereIs = (state: 'alive' | 'dead') =>
    app.pool.query(
      `insert into hosts (id, seen_at) values ('elsewhere', now() - make_interval(hours => $1))
       on conflict (id) do update set seen_at = excluded.seen_at`,
      [state === 'alive' ? 0 : 1],
    )
  afterEach(() => app.pool.query(`delete from hosts where id = 'elsewhere'`))
  /** Runs the job here, as if this were the other host. */
  const perform = async (sessionId: number, changes: object = {}) => {
    const { rows } = await app.pool.query('select id::int from cost_backfills')
    await app.pool.query('update sessions set host_id = $1 where id = $2', [app.host.app.home.hostId, sessionId])
    await rereadUsage.perform({ runId: rows[0].id, sessionId }, { ...app.host.app, ...changes })
  }

  test('the stored lines of a session on another live host are read here, and the sweep ends when its files are read there', async () => {
    const session = await away()
    await elsewhereIs('alive')
    await backfill()
    await sweepAll()
    expect(await ledger()).toMatchObject([{ request_id: `stored-${session}` }])
    expect(await coverage()).toMatchObject({ status: 'running', directories_done: 1, last_error: null })
    const { rows } = await app.pool.query(
      `select payload from graphile_worker._private_jobs as job join graphile_worker._private_tasks as task on task.id = job.task_id
       where task.identifier = 'reread_usage@elsewhere' and (payload->>'sessionId')::int = $1`,
      [session],
    )
    expect(rows).toHaveLength(1)
    await sweepAll()
    expect((await coverage()).status).toBe('running')
    const path = join(runtimeHome(app.host.app, session), 'in-file.jsonl')
    await mkdir(runtimeHome(app.host.app, session), { recursive: true })
    await writeFile(path, `${callLine('in-file')}\n`)
    const demo = app.host.app.runtimes.find('demo')
    const transcriptFiles = async () => [{ thread: 'main', path }]
    await perform(session, { runtimes: { find: () => ({ ...demo, transcriptFiles }) } })
    await sweepAll()
    expect((await ledger()).map(({ request_id }) => request_id)).toEqual(['in-file', `stored-${session}`])
    expect(await coverage()).toMatchObject({ status: 'complete', rows_written: 2, last_error: null })
  })

  test('a host that cannot read the files is named until it has read them', async () => {
    const session = await away()
    await elsewhereIs('alive')
    await backfill()
    await sweepAll()
    const fails = { ...app.host.app.runtimes.find('demo'), transcriptFiles: () => Promise.reject(new Error('no disk')) }
    await expect(perform(session, { runtimes: { find: () => fails } })).rejects.toThrow('no disk')
    await sweepAll()
    const { hostId } = app.host.app.home
    expect(await coverage()).toMatchObject({
      status: 'running',
      last_error: `Session ${session} could not be read on host ${hostId} and is tried again; the server log has the details.`,
    })
    await perform(session)
    await sweepAll()
    expect(await coverage()).toMatchObject({ status: 'complete', last_error: null })
  })

  test('a sweep does not wait for a dead host or for one that does not answer, and counts the sessions that it skipped', async () => {
    await away()
    const [late, dies] = [await away(), await away()]
    await elsewhereIs('dead')
    await backfill()
    await sweepAll()
    expect(await coverage()).toMatchObject({
      status: 'complete',
      last_error: `The files of session ${dies} were not read, because its host elsewhere is not alive. In all, 3 sessions were skipped.`,
    })
    await app.pool.query('delete from sessions where id <> $1', [late])
    await elsewhereIs('alive')
    await backfill()
    await sweepAll()
    expect((await coverage()).status).toBe('running')
    await app.pool.query(`update cost_hand_overs set asked_at = now() - interval '61 minutes'`)
    await sweepAll()
    expect(await coverage()).toMatchObject({
      status: 'complete',
      last_error: `Host elsewhere has not read the files of session ${late} within an hour.`,
    })
  })
})
