import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { fileNames } from '../../../src/domain/archive/file-name.ts'
import { selectChanged } from '../../../src/domain/archive/source-store.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { archiveOf, parsed } from '../../support/archive/archive-app.ts'
import { readZip } from '../../support/files/read-zip.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web', SUPERVISOR_PASSWORD: 'the-operators-own-word' } })

const { empty, build, conversation, download, unpacked } = archiveOf(app)

beforeEach(empty)

const sessionFiles = (files: Map<string, Buffer>) => [...files.keys()].filter((name) => name !== 'manifest.json')

describe('GET /transcript_archive/status', () => {
  test('answers 404 with never_built and archive_path before the first run', async () => {
    for (const path of ['status', 'download']) {
      const answer = await app.get(`/transcript_archive/${path}`)
      expectProblem(answer, 404, 'No transcript archive')
      expect(answer.body).toMatchObject({ state: 'never_built', archive_path: expect.any(String) })
    }
  })

  test('answers present with the figures of the zip that is downloaded', async () => {
    await conversation(['{"type":"user"}'])
    await build()
    const { bytes, headers } = await download()
    expect((await app.get('/transcript_archive/status')).body).toEqual({
      state: 'present',
      generated_at: headers.get('x-archive-generated-at'),
      session_count: 1,
      file_size_bytes: bytes.length,
      stale: false,
      stale_reason: null,
      complete: true,
      deferred_count: 0,
      incomplete_reason: null,
      download_url: `${app.url}/api/v1/transcript_archive/download`,
    })
  })

  test('answers 404 with missing when every session that was stored is deleted, and present after the next run', async () => {
    const id = await conversation(['{}'])
    await build()
    await app.delete(`/sessions/${id}`)
    const answer = await app.get('/transcript_archive/status')
    expectProblem(answer, 404, 'No transcript archive')
    expect(answer.body.state).toBe('missing')
    await build()
    expect((await app.get('/transcript_archive/status')).body).toMatchObject({ state: 'present', session_count: 0 })
    expect(sessionFiles(await unpacked())).toEqual([])
  })

  test('is incomplete and not stale while sessions are deferred, and stale when runs stay away, also with sessions left', async () => {
    for (let n = 0; n < 3; n++) await conversation(['{}'])
    expect(await build({ budget: 0 })).toBe('done')
    expect((await app.get('/transcript_archive/status')).body).toMatchObject({
      complete: false,
      deferred_count: 3,
      incomplete_reason: '3 changed sessions wait for the next run',
      stale: false,
    })
    await app.pool.query(`update archive_state set generated_at = now() - interval '1 hour'`)
    expect((await app.get('/transcript_archive/status')).body).toMatchObject({ complete: false, stale: true })
    await build()
    await app.pool.query(`update archive_state set generated_at = now() - interval '1 hour'`)
    const stale_reason = 'The last run ended 60 minutes ago; one is due every 10 minutes'
    expect((await app.get('/transcript_archive/status')).body).toMatchObject({
      complete: true,
      deferred_count: 0,
      stale: true,
      stale_reason,
    })
    expect(Object.fromEntries((await download()).headers)).toMatchObject({
      'x-archive-stale': 'true',
      'x-archive-stale-reason': stale_reason,
      'x-archive-complete': 'true',
    })
  })
})

describe('GET /transcript_archive/download', () => {
  test('has each session with its whole transcript, its subagents, and a manifest with their checksums', async () => {
    const lines = ['{"text":"one \\"two\\" \\u0007"}', '{"text":"drei € 🚂"}', '\ud83d alone']
    const id = await conversation(lines.slice(0, 2), { title: 'A title', slug: 'a-title', prompt: 'say hello' })
    await insertTranscript(app.pool, id, ['{"sub":1}'], 'agent-a1')
    await app.pool.query(
      `insert into subagent_transcripts (session_id, agent_id, thread, status) values ($1, 'agent-a1', 'agent-a1', 'completed')`,
      [id],
    )
    const sent = { agent_id: 'sent', transcript: `${'x'.repeat(300_000)}🚂\nend` }
    await app.post(`/sessions/${id}/subagent_transcripts`, sent)
    await build()
    const { bytes, headers } = await download()
    const files = readZip(bytes)
    const folder = `sessions/${id}/subagent_transcripts`
    expect([...files.keys()]).toEqual([
      'manifest.json',
      `sessions/${id}.json`,
      `${folder}/agent-a1.json`,
      `${folder}/sent.json`,
    ])
    expect(parsed(files.get(`sessions/${id}.json`))).toEqual({
      id,
      title: 'A title',
      slug: 'a-title',
      status: 'waiting',
      prompt: 'say hello',
      git_root: '/srv/repositories/widgets',
      branch: 'main',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      archived_at: null,
      goal: null,
      mcp_servers: [],
      transcript: `${lines[0]}\n${lines[1]}\n`,
    })
    expect(parsed(files.get(`${folder}/agent-a1.json`))).toMatchObject({
      agent_id: 'agent-a1',
      session_id: id,
      transcript: '{"sub":1}\n',
      status: 'completed',
    })
    expect(parsed(files.get(`${folder}/sent.json`)).transcript).toBe(sent.transcript)
    const manifest = parsed(files.get('manifest.json'))
    expect(manifest).toMatchObject({ session_count: 1, session_ids: [String(id)] })
    expect(manifest.files).toEqual(
      sessionFiles(files).map((name) => ({
        name,
        size_bytes: files.get(name)?.length,
        sha256: createHash('sha256')
          .update(files.get(name) ?? '')
          .digest('hex'),
      })),
    )
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringMatching(/^attachment; filename="transcript_archive_\d{8}_\d{6}\.zip"$/),
      'x-archive-session-count': '1',
      'x-archive-stale': 'false',
      'x-archive-complete': 'true',
    })
  })

  test('keeps its tag while nothing changes, and is continued by Range to the same bytes', async () => {
    const id = await conversation(Array.from({ length: 500 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(500) })))
    await build()
    const whole = await download()
    await build()
    const tag = whole.headers.get('etag') ?? ''
    const rest = await download('', { range: 'bytes=100000-', 'if-range': tag })
    expect([rest.status, rest.headers.get('etag')]).toEqual([206, tag])
    expect(rest.bytes.equals(whole.bytes.subarray(100_000))).toBe(true)
    expect((await download('', { 'if-none-match': tag })).status).toBe(304)
    await app.patch(`/sessions/${id}`, { title: 'Another' })
    await build()
    const later = await download()
    expect(later.headers.get('etag')).not.toBe(tag)
    expect(parsed(readZip(later.bytes).get(`sessions/${id}.json`)).title).toBe('Another')
  })

  test('has only the sessions of a root and of a span of days', async () => {
    const made = (day: string, root: string) =>
      conversation(['{}'], { created_at: `${day}T12:00:00Z`, metadata: { agent_root_key: root } })
    const [first, second, third] = [
      await made('2026-03-01', 'web'),
      await made('2026-03-02', 'api'),
      await made('2026-03-03', 'web'),
    ]
    await build()
    const ids = async (query: string) => parsed((await unpacked(query)).get('manifest.json')).session_ids.map(Number)
    expect(await ids('?agent_root=web')).toEqual([first, third])
    expect(await ids('?from=2026-03-02')).toEqual([second, third])
    expect(await ids('?to=2026-03-02')).toEqual([first, second])
    expect(await ids('?from=2026-03-01T13:00:00Z&to=2026-03-03T11:00:00%2B00:00')).toEqual([second])
    expect(await ids('?agent_root=nowhere')).toEqual([])
    expect((await download('?agent_root=api')).headers.get('x-archive-session-count')).toBe('1')
    expectProblem(await app.get('/transcript_archive/download?from=yesterday'), 422, 'Invalid parameter')
  })

  test('has redacted texts only, also those that callers sent with their own key', async () => {
    const secret = 'the-operators-own-word'
    const id = await conversation(['{}'], {
      prompt: `use ${secret}`,
      title: secret,
      goal: `with ${secret}`,
      mcp_servers: [`s-${secret}`],
    })
    await app.post(`/sessions/${id}/subagent_transcripts`, {
      agent_id: `a-${secret}`,
      transcript: secret,
      description: secret,
    })
    await app.pool.query('insert into subagent_transcripts (session_id, agent_id) values ($1, $2)', [id, secret])
    await build()
    const { bytes } = await download()
    expect(bytes.includes(secret)).toBe(false)
    expect(bytes.includes('[REDACTED')).toBe(true)
    const { rows } = await app.pool.query(`select name, head, text from archive_files`)
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test('has names that stay in their folder and differ on every system', async () => {
    const id = await conversation(['{}'])
    for (const agent_id of ['../../x', '..', 'a/b', 'a b', 'A_B', 'nul', '\u0007\u202eexe', '/etc/passwd', 'ünïcode'])
      await app.pool.query('insert into subagent_transcripts (session_id, agent_id) values ($1, $2)', [id, agent_id])
    await build()
    const names = sessionFiles(await unpacked()).slice(1)
    expect(names).toHaveLength(9)
    for (const name of names)
      expect(name).toMatch(new RegExp(`^sessions/${id}/subagent_transcripts/[\\w-][\\w.-]*\\.json$`))
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(9)
    expect(names.some((name) => name.includes('/nul.'))).toBe(false)
  })

  test('a name is free also where the name with the number of the row is taken', () => {
    const nameFor = fileNames()
    expect([nameFor('a-3', 1), nameFor('a', 2), nameFor('A', 3)]).toEqual(['a-3', 'a', 'A-3-3'])
  })

  test('a run stores only what changed, and a download that has begun keeps the version it began with', async () => {
    const still = await conversation(['{}'])
    const id = await conversation(['{"n":1}'])
    await build()
    const { rows: before } = await app.pool.query('select id, session_id from archive_files order by id')
    await app.pool.query(
      `insert into transcript_entries (session_id, thread, sequence, line) values (${id}, 'main', 2, '{"n":2}')`,
    )
    expect(parsed((await unpacked()).get(`sessions/${id}.json`)).transcript).toBe('{"n":1}\n')
    await app.pool.query(`update transcript_threads set entry_count = 2 where session_id = ${id}`)
    await build()
    expect(parsed((await unpacked()).get(`sessions/${id}.json`)).transcript).toBe('{"n":1}\n{"n":2}\n')
    const { rows: after } = await app.pool.query('select id, session_id, superseded_at from archive_files order by id')
    expect(after.map(({ session_id, superseded_at }) => [Number(session_id), superseded_at !== null])).toEqual([
      [still, false],
      [id, true],
      [id, false],
    ])
    expect(after.slice(0, 2).map((row) => row.id)).toEqual(before.map((row) => row.id))
    await app.pool.query(
      `update archive_files set superseded_at = now() - interval '2 days' where superseded_at is not null`,
    )
    await runPeriodic(app.host.app, 'prune_archive_files')
    expect((await app.pool.query('select from archive_files')).rowCount).toBe(2)
  })

  test('a session that cannot be stored does not hold up the others, and is counted', async () => {
    const bad = await conversation(['{}'])
    await conversation(['{}'])
    // More entries than there are.
    await app.pool.query('update transcript_threads set entry_count = 5 where session_id = $1', [bad])
    expect(await build()).toBe('done')
    expect((await app.get('/transcript_archive/status')).body).toMatchObject({
      session_count: 1,
      complete: false,
      deferred_count: 1,
      incomplete_reason: '1 sessions could not be stored; the log says why',
    })
  })

  test('a run begins where the last one ran out of time, so that sessions that fail hold up no others', async () => {
    const ids = [await conversation(['{}']), await conversation(['{}']), await conversation(['{}'])]
    await app.pool.query('update archive_progress set scanned_through = $1', [ids[1]])
    await build({ slice: 1 })
    const { rows } = await app.pool.query('select session_id from archive_files order by id')
    expect(rows.map(({ session_id }) => Number(session_id))).toEqual([ids[2], ids[0], ids[1]])
    const { rows: progress } = await app.pool.query('select scanned_through from archive_progress')
    expect(Number(progress[0].scanned_through)).toBe(ids[1])
  })

  test('a run compares the sessions a slice at a time', async () => {
    const ids = [await conversation(['{}']), await conversation(['{}']), await conversation(['{}'])]
    const { db } = app.host.app
    expect(await selectChanged(db, { after: 0, limit: 2 })).toEqual({ last: ids[1], changed: ids.slice(0, 2) })
    expect(await selectChanged(db, { after: ids[1] ?? 0, limit: 2 })).toEqual({ last: ids[2], changed: ids.slice(2) })
    expect(await selectChanged(db, { after: ids[2] ?? 0, limit: 2 })).toEqual({ last: undefined, changed: [] })
    await build({ slice: 2 })
    expect((await app.get('/transcript_archive/status')).body).toMatchObject({ session_count: 3, complete: true })
    expect(await selectChanged(db, { after: 0, limit: 10 })).toEqual({ last: ids[2], changed: [] })
  })

  test('two runs at once store a session once', async () => {
    for (let n = 0; n < 5; n++) await conversation(['{}'])
    await Promise.all([build(), build(), build()])
    expect((await app.pool.query('select from archive_files where superseded_at is null')).rowCount).toBe(5)
  })
})

describe('get_transcript_archive', () => {
  test('shows status and address to an API key', async () => {
    await conversation(['{}'])
    await build()
    const answer = await mcpClient(app).call('get_transcript_archive')
    expect(answer.isError).toBe(false)
    expect(answer.text).toContain('/api/v1/transcript_archive/download')
  })
})
