import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findKeys } from '../../src/app/api-key.ts'
import { restore } from '../../src/app/backup/restore.ts'
import { updateArchive } from '../../src/domain/archive/update-archive.ts'
import { startTestApp, type TestApp } from '../support/app/app.ts'
import { cloneDatabase } from '../support/database/database.ts'
import { openPool } from '../support/database/pool.ts'
import { sharedFolder } from '../support/files/shared-folder.ts'
import { atRest } from '../support/sessions/demo-session.ts'

/** A backup of the last release before operations, made at work by scripts/make-upgrade-fixture.mjs. */
const fixture = fileURLToPath(new URL('../fixtures/upgrade/bbcd5b2.tar.gz', import.meta.url))
const [rested, running, asking] = [1, 2, 3]

describe('a host that starts on the data of an older release', () => {
  let app: TestApp
  const closing: (() => Promise<unknown>)[] = []
  let schemaBefore = 0

  beforeAll(async () => {
    const folder = await sharedFolder('yardmaster-upgrade-')
    closing.push(() => rm(folder, { recursive: true, force: true }))
    const { url: databaseUrl, drop } = await cloneDatabase({ isEmpty: true })
    closing.push(drop)
    const home = join(folder, 'home')
    await restore({ home, databaseUrl, file: fixture })
    const pool = openPool(databaseUrl)
    closing.push(() => pool.end())
    const { rows } = await pool.query('select max(version) as version from schema_migrations')
    schemaBefore = Number(rows[0].version)
    const started = await startTestApp({ environment: { YARDMASTER_HOME: home, DATABASE_URL: databaseUrl } })
    closing.push(started.stop)
    app = { ...started.app, pool }
  })
  afterAll(async () => {
    for (const close of closing.toReversed()) await close()
  })

  test('applies the migrations that the older release did not have', async () => {
    const { rows } = await app.pool.query('select max(version) as version from schema_migrations')
    expect(schemaBefore).toBe(32)
    expect(Number(rows[0].version)).toBeGreaterThan(schemaBefore)
  })

  test('opens the home of the older release with its keys', async () => {
    expect((await findKeys(undefined, app.host.app.home)).keys).toEqual(['key-of-the-upgrade-fixture'])
    const { rows } = await app.pool.query('select host_id from sessions where id = $1', [rested])
    expect(app.host.app.home.hostId).toBe(rows[0].host_id)
  })

  test('shows its sessions, transcripts and subagents', async () => {
    const { body } = await app.get('/sessions')
    expect(body.sessions.map(({ title }: { title: string }) => title).toSorted()).toEqual([
      'Asking',
      'Rested',
      'Running',
    ])
    const { session } = (await app.get(`/sessions/${rested}?include_transcript=true`)).body
    expect(session).toMatchObject({ session_notes: 'Notes of the release before', category: { name: 'Kept' } })
    for (const text of ['first turn', 'second turn']) expect(session.transcript).toContain(text)
    const subagents = (await app.get(`/sessions/${rested}/subagent_transcripts`)).body.subagent_transcripts
    expect(subagents).toHaveLength(1)
  })

  test('shows its queue, triggers, questions, notifications, people and settings', async () => {
    const { enqueued_messages: queue } = (await app.get(`/sessions/${running}/enqueued_messages`)).body
    expect(queue.map(({ content }: { content: string }) => content)).toEqual(['say queued first', 'say queued second'])
    const { triggers } = (await app.get('/triggers')).body
    expect(triggers).toMatchObject([
      { name: 'In 2040', status: 'enabled', conditions: [{ condition_type: 'schedule' }] },
    ])
    const { elicitations } = (await app.get('/elicitations')).body
    expect(elicitations).toMatchObject([{ session_id: asking, message: 'Which colour?' }])
    expect(JSON.stringify((await app.get('/notifications')).body)).toContain('A message of the release before')
    expect(JSON.stringify((await app.get('/people')).body)).toContain('Ada')
    expect(JSON.stringify((await app.get('/settings')).body)).toContain('"spot_max_concurrent_sessions":7')
  })

  test('runs a further turn of an old session in its old clone and conversation', async () => {
    await app.post(`/sessions/${rested}/follow_up`, { prompt: 'run cat kept.txt\nsay third turn' })
    expect((await atRest(app, rested)).status).toBe('needs_input')
    const { transcript } = (await app.get(`/sessions/${rested}?include_transcript=true`)).body.session
    expect(transcript.indexOf('third turn')).toBeGreaterThan(transcript.indexOf('second turn'))
    expect(transcript).toContain('"content":"kept')
  })

  test('fills what newer releases added from the data of the older one', async () => {
    await updateArchive(app.host.app, new AbortController().signal)
    expect((await app.get('/transcript_archive/status')).body).toMatchObject({ session_count: 3, complete: true })
    for (const path of ['/costs', '/health']) expect((await app.get(path)).status).toBe(200)
  })
})
