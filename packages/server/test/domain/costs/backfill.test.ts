import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startRun } from '../../../src/domain/costs/cost.ts'
import { selectSession } from '../../../src/domain/sessions/session.ts'
import { collectTranscripts } from '../../../src/domain/workspaces/collect-transcripts.ts'
import { runtimeHome } from '../../../src/domain/workspaces/folders.ts'
import { sweepUsage } from '../../../src/domain/workspaces/reread-usage.ts'
import { lines as rollout, thread as rolloutThread } from '../../runtimes/beta/rollout-lines.ts'
import { testApp } from '../../support/app/app.ts'
import { callLine as call, forgetUsage, sweepHelpers } from '../../support/costs/sweeps.ts'
import { differencesOfHours } from '../../support/costs/usage-rows.ts'
import { stopQueue } from '../../support/jobs/stop-queue.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardmaster-backfill-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const runtimesPath = join(folder, 'runtimes.json')
writeFileSync(
  runtimesPath,
  JSON.stringify({ runtimes: [{ name: 'scripted', driver: 'acp', command: process.execPath }] }),
)

const app = testApp({ environment: { RUNTIMES_PATH: runtimesPath } })
const signal = new AbortController().signal

// Each test runs the slices itself.
beforeAll(() => stopQueue(app.host.app.db, 'maintenance'))

beforeEach(() => forgetUsage(app))

const slice = () => sweepUsage(app.host.app, signal)
const { sweepAll, coverage, backfill, ledger } = sweepHelpers(app)

describe('POST /costs/backfill', () => {
  test('the ledger has never been swept before the first run, and a second request returns the same run', async () => {
    expect(await coverage()).toEqual({
      status: 'never_run',
      complete: false,
      progress_pct: null,
      directories_done: 0,
      directories_total: 0,
      files_scanned: 0,
      rows_written: 0,
      trigger: null,
      started_at: null,
      finished_at: null,
      last_ran_at: null,
      last_error: null,
      covers_since: null,
      covers_until: null,
    })
    const first = await backfill()
    expect(first).toMatchObject({
      queued: true,
      run: { status: 'queued', trigger: 'manual', started_at: null, finished_at: null, directories_total: 0 },
      ledger_coverage: { status: 'queued', complete: false, progress_pct: null },
    })
    expect((await backfill()).run.id).toBe(first.run.id)
  })

  test('ten requests at once get one run', async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, backfill))
    expect(new Set(runs.map(({ run }) => run.id)).size).toBe(1)
  })

  test('a request that finds a run which finishes at that moment gets a new run', async () => {
    const { run } = await backfill()
    const finishAfterEachStatement: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        await app.pool.query('update cost_backfills set finished_at = now() where id = $1', [run.id])
        return result
      },
    }
    const { db } = app.host.app
    expect(await startRun(db.withPlugin(finishAfterEachStatement), 'manual')).toMatchObject({ id: run.id })
    expect((await startRun(db.withPlugin(finishAfterEachStatement), 'manual')).id).toBeGreaterThan(run.id)
  })

  test('a sweep that finds nothing to read says so and stays open', async () => {
    const { run } = await backfill()
    await sweepAll()
    expect(await coverage()).toMatchObject({
      status: 'queued',
      complete: false,
      last_error: 'There is no transcript to read yet.',
    })
    expect((await backfill()).run.id).toBe(run.id)
  })

  test('a sweep adds the calls that are missing, counts only those, and a second one adds none', async () => {
    const session = await insertSession(app.pool)
    await insertTranscript(app.pool, session, [call('a'), call('a'), 'not json', call('b')])
    await insertTranscript(app.pool, session, [call('c')], 'subagent-1')
    await insertTranscript(app.pool, session, [call('d')], 'summary-x')
    await app.pool.query(
      `insert into session_usage (request_id, agent_runtime, model, called_at, input_tokens) values ('b', 'demo', 'first', now(), 5)`,
    )
    await backfill()
    await sweepAll()
    const common = { session_id: session, agent_runtime: 'demo', cache_read_tokens: 0, cache_creation_tokens: 0 }
    const read = { ...common, model: 'demo', subagent: false, source: null, input_tokens: 10, output_tokens: 1 }
    expect(await ledger()).toEqual([
      { ...read, request_id: 'a' },
      // What was recorded is completed.
      { ...read, request_id: 'b', model: 'first' },
      { ...read, request_id: 'c', subagent: true },
      { ...read, request_id: 'd', source: 'status_summary' },
    ])
    expect(await coverage()).toMatchObject({
      status: 'complete',
      complete: true,
      progress_pct: 100,
      directories_done: 1,
      directories_total: 1,
      files_scanned: 3,
      rows_written: 3,
      last_error: null,
      covers_since: '2026-08-01T10:00:00Z',
    })
    await backfill()
    expect(await coverage()).toMatchObject({ status: 'queued', complete: true, finished_at: expect.any(String) })
    await sweepAll()
    expect(await coverage()).toMatchObject({ status: 'complete', rows_written: 0, files_scanned: 3 })
    expect(await ledger()).toHaveLength(4)
    expect(await differencesOfHours(app.pool)).toEqual([])
  })

  test('the first sweep starts by itself once there is a transcript, and only once', async () => {
    expect(await slice()).toBe('done')
    expect((await coverage()).status).toBe('never_run')
    await insertTranscript(app.pool, await insertSession(app.pool), [call('a')])
    await sweepAll()
    expect(await coverage()).toMatchObject({ status: 'complete', trigger: 'automatic', rows_written: 1 })
    await app.pool.query('delete from session_usage')
    await sweepAll()
    expect(await ledger()).toEqual([])
  })

  test('a sweep works in slices, reports its progress, and goes on after the session it had reached', async () => {
    for (let n = 0; n < 26; n += 1) await insertTranscript(app.pool, await insertSession(app.pool), [call(`call-${n}`)])
    await backfill()
    expect(await slice()).toBe('again')
    expect(await coverage()).toMatchObject({
      status: 'running',
      progress_pct: 96,
      directories_done: 25,
      directories_total: 26,
      rows_written: 25,
    })
    // Two hosts whose lease overlaps read the same slice: the calls count once.
    await Promise.all([slice(), slice()])
    expect(await coverage()).toMatchObject({ status: 'complete', directories_done: 26, rows_written: 26 })
  })

  test('a session whose runtime is unknown is named and does not stop the sweep', async () => {
    const lost = await insertSession(app.pool, { agent_runtime: 'of-yesterday' })
    await insertTranscript(app.pool, lost, [call('x')])
    await insertTranscript(app.pool, await insertSession(app.pool), [call('y')])
    await backfill()
    await sweepAll()
    expect(await coverage()).toMatchObject({
      status: 'complete',
      rows_written: 1,
      last_error: `Session ${lost} has the runtime of-yesterday, which is not registered on host ${app.host.app.home.hostId}.`,
    })
  })

  test('a sweep with nothing to read writes its row once', async () => {
    await backfill()
    await sweepAll()
    const version = async () => (await app.pool.query('select xmin, ctid from cost_backfills')).rows
    const before = await version()
    await sweepAll()
    expect(await version()).toEqual(before)
  })

  test('a slice ends after two minutes, and one that is interrupted inside a session reads that session again', async () => {
    for (const name of ['a', 'b']) await insertTranscript(app.pool, await insertSession(app.pool), [call(name)])
    await backfill()
    let minutes = 0
    const clock = {
      now: () => {
        minutes += 1
        return new Date(minutes * 60_000)
      },
    }
    expect(await sweepUsage({ ...app.host.app, clock }, signal)).toBe('again')
    expect(await coverage()).toMatchObject({ status: 'running', directories_done: 1 })
    const stop = new AbortController()
    const { runtimes } = app.host.app
    const find = (name: string) => {
      stop.abort()
      return runtimes.find(name)
    }
    expect(await sweepUsage({ ...app.host.app, runtimes: { ...runtimes, find } }, stop.signal)).toBe('done')
    expect(await coverage()).toMatchObject({ status: 'running', directories_done: 1, last_error: null })
    await sweepAll()
    expect(await coverage()).toMatchObject({ status: 'complete', directories_done: 2, rows_written: 2 })
  })
})

const answerOf = (requestId: string, usage: object, more: object = {}) =>
  JSON.stringify({
    type: 'assistant',
    uuid: randomUUID(),
    parentUuid: null,
    requestId,
    timestamp: '2026-08-01T10:00:00.000Z',
    ...more,
    message: { id: `msg-${requestId}`, model: 'claude-opus-4-8', role: 'assistant', content: [], usage },
  })

const vendorUsage = {
  input_tokens: 11,
  output_tokens: 22,
  cache_read_input_tokens: 33,
  cache_creation_input_tokens: 44,
  cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 4 },
}

/** What each agent writes to its file, and the tokens that its file itself reports. */
const transcripts = [
  {
    runtime: 'runtime_alpha',
    conversation: randomUUID(),
    // The CLI writes a line for each block of a message, all with the same usage.
    lines: [
      answerOf('req_1', vendorUsage),
      answerOf('req_1', vendorUsage),
      answerOf('req_2', vendorUsage, { isSidechain: true }),
      answerOf('req_3', { input_tokens: 0, output_tokens: 0 }),
    ],
    totals: { input_tokens: 22, output_tokens: 44, cache_read_tokens: 66, cache_creation_tokens: 88, api_calls: 2 },
    threads: ['main', 'subagent'],
  },
  {
    runtime: 'runtime_beta',
    conversation: rolloutThread,
    // The input of a record includes the cached part, and the totals of the thread are no calls.
    lines: [
      ...Object.values(rollout),
      rollout.usage.replace('resp_1', 'resp_2').replace('"input_tokens":1000', '"input_tokens":500'),
    ],
    totals: { input_tokens: 700, output_tokens: 100, cache_read_tokens: 600, cache_creation_tokens: 200, api_calls: 2 },
    threads: ['main'],
  },
  {
    runtime: 'scripted',
    conversation: randomUUID(),
    lines: [answerOf('turn-1', vendorUsage), answerOf('turn-2', vendorUsage)],
    totals: { input_tokens: 22, output_tokens: 44, cache_read_tokens: 66, cache_creation_tokens: 88, api_calls: 2 },
    threads: ['main'],
  },
  {
    runtime: 'demo',
    conversation: randomUUID(),
    lines: [call('demo-1'), call('demo-2', { isSidechain: true })],
    totals: { input_tokens: 20, output_tokens: 2, cache_read_tokens: 0, cache_creation_tokens: 0, api_calls: 2 },
    threads: ['main', 'subagent'],
  },
]

test.each(transcripts)(
  'the figures of $runtime equal the counts of its transcript, and a sweep restores them from what is left',
  async ({ runtime: name, conversation: id, lines, totals, threads }) => {
    const { host } = app
    const runtime = host.app.runtimes.find(name)
    if (!runtime) throw new Error(`${name} is not registered`)
    const sessionId = await insertSession(app.pool, {
      agent_runtime: name,
      session_id: id,
      host_id: host.app.home.hostId,
      metadata: { working_directory: folder },
    })
    const home = runtimeHome(host.app, sessionId)
    await mkdir(home, { recursive: true })
    const conversation = { id, home, workingDirectory: folder }
    const { path } = await runtime.writeTranscript(conversation, (async function* () {})())
    await writeFile(path, `${lines.join('\n')}\n`)
    const session = await selectSession(host.app.db, { id: sessionId })
    if (!session) throw new Error('no session')
    await collectTranscripts(host.app, {
      session,
      runtime,
      conversation,
      isOver: true,
      mayStore: async () => true,
      onReceipt: async () => undefined,
    })
    const figures = async () => {
      const { body } = await app.get(`/costs?session_id=${sessionId}&from=2026-07-01&to=2026-12-31`)
      return { totals: body.totals, threads: body.by_thread_kind.map(({ kind }: { kind: string }) => kind) }
    }
    const recorded = await figures()
    expect(recorded).toMatchObject({ totals, threads })
    const before = await ledger()
    await app.pool.query('delete from session_usage')
    await backfill()
    await sweepAll()
    expect(await ledger()).toEqual(before)
    expect(await figures()).toEqual(recorded)
  },
)
