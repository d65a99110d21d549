import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../../src/app/backup/backup.ts'
import { beginSnapshot, endSnapshot } from '../../../src/app/backup/dump-database.ts'
import { openDatabaseOf } from '../../../src/app/backup/open-database.ts'
import { restore } from '../../../src/app/backup/restore.ts'
import { startTestApp, testApp, testMasterKey } from '../../support/app/app.ts'
import { backupHelpers } from '../../support/app/backups.ts'
import { openPool } from '../../support/database/pool.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { newPath, takeBackup, emptyDatabase, restored } = backupHelpers(app)

/** Starts a host on what was restored. */
async function start({ home, databaseUrl }: { home: string; databaseUrl: string }) {
  const started = await startTestApp({ environment: { YARDMASTER_HOME: home, DATABASE_URL: databaseUrl, ROLE: 'web' } })
  const pool = openPool(databaseUrl)
  onTestFinished(async () => {
    await pool.end()
    await started.stop()
  })
  return { ...started.app, pool }
}

describe('a backup', () => {
  test('a backup holds every row, file and key of a host, and a host starts on what is restored from it', async () => {
    const id = await insertSession(app.pool, {
      title: 'Kept ünïcode',
      status: 'needs_input',
      session_id: 'conversation',
    })
    await insertTranscript(app.pool, id, ['{"text":"tab\\t and \\\\ backslash"}', 'line\twith\ttabs \\N \\.'])
    await app.post(`/sessions/${id}/logs`, { level: 'info', content: 'a line\nof two' })
    await app.post('/gate_decisions', { gate: 'pr', surface: 'web', entry: { decision: 'hold' } })
    await app.patch('/settings', { spot_max_concurrent_sessions: 7 })
    const clone = join(app.home, 'clones', `session-${id}`)
    await mkdir(clone, { recursive: true })
    await writeFile(join(clone, 'run.sh'), '#!/bin/sh\n')
    await chmod(join(clone, 'run.sh'), 0o755)
    await symlink('../../../etc/passwd', join(clone, 'away'))
    await writeFile(Buffer.concat([Buffer.from(`${clone}/odd-`), Buffer.from([0xff, 0xfe])]), 'no text in its name')
    await writeFile(join(clone, `${'long'.repeat(50)}.txt`), 'x'.repeat(100_000))
    const tables = await app.pool.query(`select count(*)::int as count from pg_stat_user_tables`)
    expect(tables.rows[0].count).toBeGreaterThan(30)

    const file = await takeBackup()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const place = await restored(file)
    for (const name of ['host-id', 'vapid-key'])
      expect(await readFile(join(place.home, name), 'utf8')).toBe(await readFile(join(app.home, name), 'utf8'))
    const copy = join(place.home, 'clones', `session-${id}`)
    expect((await stat(join(copy, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect(await readlink(join(copy, 'away'))).toBe('../../../etc/passwd')
    expect(await readFile(join(copy, `${'long'.repeat(50)}.txt`), 'utf8')).toHaveLength(100_000)
    expect(await readdir(copy, { encoding: 'buffer' })).toHaveLength(4)
    expect(existsSync(join(place.home, 'postgres'))).toBe(false)

    const other = await start(place)
    const asked = [
      `/sessions/${id}`,
      `/sessions/${id}/transcript`,
      `/sessions/${id}/logs`,
      '/settings',
      '/sessions',
      '/gate_decisions',
    ]
    for (const path of asked) {
      const [before, after] = [await app.get(path), await other.get(path)]
      expect({ path, body: after.body }).toEqual({ path, body: before.body })
    }
    // The next id is a new one, and the triggers of the tables work again.
    const created = await other.post(`/sessions/${id}/logs`, { level: 'info', content: 'after' })
    expect(created.status).toBe(201)
    await expect(other.pool.query('update transcript_entries set line = $1', ['x'])).rejects.toThrow('append-only')
  })

  test('a backup of a busy host has everything that was accepted before it began', async () => {
    const id = await insertSession(app.pool, { status: 'running', session_id: 'busy', host_id: 'elsewhere' })
    await app.pool.query(
      `insert into turns (session_id, sequence, source, prompt, state, lease_owner, lease_expires_at, run_marker, started_at)
       values ($1, 1, 'create', 'x', 'executing', 'elsewhere', now() + interval '1 hour', 'busy', now())`,
      [id],
    )
    const accepted: string[] = []
    let isOver = false
    const work = (async () => {
      for (let n = 0; !isOver; n++) {
        const answer = await app.post(`/sessions/${id}/enqueued_messages`, { content: `message ${n}` })
        if (answer.status === 201) accepted.push(`message ${n}`)
      }
    })()
    while (accepted.length < 5) await new Promise((resolve) => setTimeout(resolve, 5))
    const before = [...accepted]
    const file = await takeBackup()
    isOver = true
    await work
    expect(accepted.length).toBeGreaterThan(before.length)
    const { databaseUrl, home } = await restored(file)
    const other = await start({ databaseUrl, home })
    const { rows } = await other.pool.query<{ content: string }>(
      'select content from enqueued_messages where session_id = $1 order by position',
      [id],
    )
    const kept = rows.map(({ content }) => content)
    expect(kept.slice(0, before.length)).toEqual(before)
    // One moment: no gaps among those that came later either.
    expect(kept).toEqual(accepted.slice(0, kept.length))
  })

  test('a backup replaces no file, and is not written into the home or into a folder that does not exist', async () => {
    const file = await takeBackup()
    await expect(takeBackup(file)).rejects.toThrow(`The file ${file} exists.`)
    await expect(takeBackup(join(app.home, 'clones', 'x.tar.gz'))).rejects.toThrow('must not be written into the home')
    const nowhere = join(app.shared, 'nowhere', 'x.tar.gz')
    await expect(takeBackup(nowhere)).rejects.toThrow(
      `The backup cannot be written to ${nowhere}: there is no such folder.`,
    )
    expect((await readdir(app.shared)).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  test('of two backups to one name at the same time one is made, whole, and the other is refused', async () => {
    const file = newPath('backup.tar.gz')
    const outcomes = await Promise.allSettled([takeBackup(file), takeBackup(file)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining(`The file ${file} exists.`) },
    })
    expect((await readdir(app.shared)).filter((name) => name.endsWith('.partial'))).toEqual([])
    await restored(file)
  })

  test('no upgrade rewrites a table while a backup reads, and one can while the backup reads the home', async () => {
    const { client, close } = await openDatabaseOf(app.home, app.databaseUrl)
    onTestFinished(close)
    const lockOfMigration = 'do $$ begin lock table settings in access exclusive mode nowait; end $$'
    await beginSnapshot(client)
    await expect(app.pool.query(lockOfMigration)).rejects.toThrow('could not obtain lock')
    await endSnapshot(client)
    await app.pool.query(lockOfMigration)
  })

  test('files that an agent made large without using the disk are left out and named, and the others are stored', async () => {
    const clone = join(app.home, 'clones', 'session-77')
    await mkdir(clone, { recursive: true })
    onTestFinished(() => rm(clone, { recursive: true }))
    await writeFile(join(clone, 'work.txt'), 'kept')
    for (const [name, bytes] of Object.entries({ 'huge.img': 2 ** 40, 'small.img': 2 ** 20 })) {
      await writeFile(join(clone, name), '')
      await truncate(join(clone, name), bytes)
    }
    const file = newPath('holes.tar.gz')
    const { skipped } = await backUp({ home: app.home, databaseUrl: app.databaseUrl, file, isHomeOnly: true })
    expect(skipped).toEqual(['clones/session-77/huge.img (it has too many holes)'])
    const home = newPath('home')
    await restore({ home, databaseUrl: undefined, file, isHomeOnly: true })
    expect((await readdir(join(home, 'clones', 'session-77'))).toSorted()).toEqual(['small.img', 'work.txt'])
    expect((await stat(join(home, 'clones', 'session-77', 'small.img'))).size).toBe(2 ** 20)
  })

  test('folders that an agent nested deeper than a path can be are left out and named, and the backup can be restored', async () => {
    const clone = join(app.home, 'clones', 'session-78')
    await mkdir(clone, { recursive: true })
    // Not by the path: it is too long.
    onTestFinished(async () => void (await promisify(execFile)('rm', ['-rf', clone])))
    const nest = `for i in $(seq 30); do mkdir ${'d'.repeat(200)} && cd ${'d'.repeat(200)}; done; echo deep > file`
    await promisify(execFile)('sh', ['-c', nest], { cwd: clone })
    const file = newPath('deep.tar.gz')
    const { skipped } = await backUp({ home: app.home, databaseUrl: app.databaseUrl, file, isHomeOnly: true })
    expect(skipped).toEqual([expect.stringMatching(/^clones\/session-78\/d+\.\.\. \(its path is too long\)$/)])
    const home = newPath('home')
    await restore({ home, databaseUrl: undefined, file, isHomeOnly: true })
    expect(await readdir(join(home, 'clones', 'session-78'))).toEqual(['d'.repeat(200)])
  })

  test('a backup of only the home has no rows, and is restored only as such', async () => {
    const file = newPath('home-only.tar.gz')
    await backUp({ home: app.home, databaseUrl: app.databaseUrl, file, isHomeOnly: true })
    await expect(restored(file)).rejects.toThrow('has no database')
    const home = newPath('home')
    await restore({ home, databaseUrl: undefined, file, isHomeOnly: true })
    expect(await readFile(join(home, 'host-id'), 'utf8')).toBe(await readFile(join(app.home, 'host-id'), 'utf8'))
  })
})

describe('the master key', () => {
  const keyFile = 'master-key'

  test('a backup without the key leaves it out, and the restore says in one sentence which key is needed', async () => {
    await writeFile(join(app.home, keyFile), testMasterKey)
    onTestFinished(() => rm(join(app.home, keyFile)))
    const [withKey, withoutKey] = [newPath('with-key.tar.gz'), newPath('without-key.tar.gz')]
    const source = { home: app.home, databaseUrl: app.databaseUrl }
    await backUp({ ...source, file: withKey })
    await backUp({ ...source, file: withoutKey, isWithoutKey: true })
    const whole = await restored(withKey)
    expect(await readFile(join(whole.home, keyFile), 'utf8')).toBe(testMasterKey)
    expect(whole.missingKey).toBeUndefined()
    const lacking = await restored(withoutKey)
    expect(existsSync(join(lacking.home, keyFile))).toBe(false)
    expect(lacking.missingKey).toMatch(
      /^Its credentials are sealed by a key that is not in the backup \([0-9a-f]{16}\)/,
    )
    const databaseUrl = await emptyDatabase()
    const given = await restore({ home: newPath('home'), databaseUrl, file: withoutKey, masterKey: testMasterKey })
    expect(given.missingKey).toBeUndefined()
  })

  test('a backup whose rows need another key than its files hold is refused, because the key was rotated meanwhile', async () => {
    await writeFile(join(app.home, keyFile), Buffer.alloc(32, 5).toString('hex'))
    onTestFinished(() => rm(join(app.home, keyFile)))
    await expect(takeBackup()).rejects.toThrow('The master key was rotated during the backup. Make another one.')
  })
})
