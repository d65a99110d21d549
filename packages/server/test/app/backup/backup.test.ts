import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../../src/app/backup/backup.ts'
import { restore } from '../../../src/app/backup/restore.ts'
import { fileEntry, paddingOf, type TarEntry, tarEnd, tarHeader } from '../../../src/platform/files/tar.ts'
import { openHome } from '../../../src/platform/home/home.ts'
import { startTestApp, testApp, testMasterKey } from '../../support/app/app.ts'
import { cloneDatabase } from '../../support/database/database.ts'
import { openPool } from '../../support/database/pool.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

let made = 0
const newPath = (name: string) => join(app.shared, `${name}-${++made}`)

async function takeBackup(file = newPath('backup.tar.gz')): Promise<string> {
  await backUp({ home: app.home, databaseUrl: app.databaseUrl, file })
  return file
}

async function emptyDatabase(): Promise<string> {
  const database = await cloneDatabase({ isEmpty: true })
  onTestFinished(database.drop)
  return database.url
}

async function restored(file: string, home = newPath('home')) {
  const databaseUrl = await emptyDatabase()
  const result = await restore({ home, databaseUrl, file })
  return { home, databaseUrl, ...result }
}

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

  test('a backup of only the home has no rows, and is restored only as such', async () => {
    const file = newPath('home-only.tar.gz')
    await backUp({ home: app.home, databaseUrl: app.databaseUrl, file, isHomeOnly: true })
    await expect(restored(file)).rejects.toThrow('has no database')
    const home = newPath('home')
    await restore({ home, databaseUrl: undefined, file, isHomeOnly: true })
    expect(await readFile(join(home, 'host-id'), 'utf8')).toBe(await readFile(join(app.home, 'host-id'), 'utf8'))
  })
})

describe('a restore', () => {
  test('a restore refuses a file that is cut short or damaged anywhere, and changes nothing', async () => {
    const file = await takeBackup()
    const whole = await readFile(file)
    const plain = gunzipSync(whole)
    const flipped = Buffer.from(plain)
    flipped[600] = (flipped[600] ?? 0) ^ 1
    const spoiled = {
      empty: Buffer.alloc(0),
      text: Buffer.from('hello'),
      half: whole.subarray(0, whole.length / 2),
      'without its last byte': whole.subarray(0, -1),
      'cut before it was compressed': gzipSync(plain.subarray(0, plain.length - 4096)),
      'without the end': gzipSync(Buffer.concat([plain.subarray(0, 1024), tarEnd])),
      'one bit': gzipSync(flipped),
    }
    for (const [what, bytes] of Object.entries(spoiled)) {
      const bad = newPath('bad.tar.gz')
      await writeFile(bad, bytes)
      const home = newPath('home')
      const attempt = restore({ home, databaseUrl: 'postgres://nowhere.invalid/x', file: bad })
      await expect(attempt, what).rejects.toThrow(/is not a whole backup of Yardmaster .* Nothing was restored\./)
      expect(existsSync(home)).toBe(false)
    }
    await expect(restored(newPath('none.tar.gz'))).rejects.toThrow('There is no file')
  })

  test('a restore refuses a home in use, a home that is not empty, and a database that is not empty', async () => {
    const file = await takeBackup()
    await expect(restored(file, app.home)).rejects.toThrow(
      /A Yardmaster \(process \d+\) runs on the home .* Stop it first/,
    )
    await expect(restore({ home: app.home, databaseUrl: await emptyDatabase(), file, isForced: true })).rejects.toThrow(
      'Stop it first',
    )
    const home = newPath('home')
    await mkdir(home)
    await writeFile(join(home, 'mine'), 'x')
    await expect(restored(file, home)).rejects.toThrow('is not empty')
    expect(await readdir(home)).toEqual(['mine'])
    await expect(restore({ home: newPath('home'), databaseUrl: app.databaseUrl, file })).rejects.toThrow(
      'The database is not empty.',
    )
    const { movedTo } = await restore({ home, databaseUrl: await emptyDatabase(), file, isForced: true })
    expect(await readdir(movedTo ?? '')).toEqual(['mine'])
    expect(existsSync(join(home, 'host-id'))).toBe(true)
  })

  test('no Yardmaster starts on a home whose restore did not finish', async () => {
    const home = newPath('home')
    const file = await takeBackup()
    await expect(restore({ home, databaseUrl: app.databaseUrl, file })).rejects.toThrow('not empty')
    await expect(openHome(home)).rejects.toThrow(/restore .* did not finish/)
  })

  test('a restore refuses a backup of a newer schema, and one whose migrations are not ours', async () => {
    const manifest = (digests: string[]) => ({
      format: 1,
      version: '9.9.9',
      createdAt: '2030-01-01T00:00:00Z',
      database: { digests, tables: [] },
    })
    const newer = await hostile([], manifest(Array(500).fill('x')))
    await expect(restored(newer)).rejects.toThrow('The backup is newer than this Yardmaster')
    const foreign = await hostile([], manifest(['x']))
    await expect(restored(foreign)).rejects.toThrow('differs from the one of the backup')
  })

  test.each([
    ['out of the home', { path: 'home/../outside' }],
    ['by an absolute path', { path: '/tmp/outside' }],
    ['beside the home', { path: 'elsewhere/x' }],
    ['into the programs of the database', { path: 'home/postgres/bin/initdb' }],
    ['with a NUL', { path: 'home/a\u0000/../../x' }],
  ])('a restore writes nothing %s', async (_, { path }) => {
    const home = newPath('home')
    const file = await hostile([{ ...fileEntry(path, 4), bytes: 'evil' }])
    const before = await readdir(app.shared)
    await restore({ home, databaseUrl: undefined, file, isHomeOnly: true }).catch(() => undefined)
    expect(existsSync(join(app.shared, 'outside'))).toBe(false)
    expect(existsSync(join(home, 'postgres', 'bin'))).toBe(false)
    expect(
      (await readdir(app.shared)).filter((name) => !before.includes(name) && join(app.shared, name) !== home),
    ).toEqual([])
  })

  test('a restore writes through no link, whatever order the backup has', async () => {
    const outside = newPath('outside')
    await mkdir(outside)
    const link: TarEntry = { ...fileEntry('home/door', 0), type: 'link', target: Buffer.from(outside) }
    for (const entries of [
      [
        { ...link, bytes: '' },
        { ...fileEntry('home/door/evil', 4), bytes: 'evil' },
      ],
      [
        { ...link, bytes: '' },
        { ...fileEntry('home/door', 4), bytes: 'evil' },
      ],
    ]) {
      const file = await hostile(entries)
      const home = newPath('home')
      await expect(restore({ home, databaseUrl: undefined, file, isHomeOnly: true })).rejects.toThrow()
      expect(await readdir(outside)).toEqual([])
      await rm(home, { recursive: true, force: true })
    }
    const file = await hostile([{ ...link, bytes: '' }])
    const home = newPath('home')
    await restore({ home, databaseUrl: undefined, file, isHomeOnly: true })
    expect((await lstat(join(home, 'door'))).isSymbolicLink()).toBe(true)
  })
})

/** A backup with a right digest and these entries. */
async function hostile(
  entries: readonly (TarEntry & { bytes: string })[],
  manifest: unknown = { format: 1, version: '1.0.0', createdAt: '2030-01-01T00:00:00Z', database: null },
): Promise<string> {
  const { createHash } = await import('node:crypto')
  const json = (name: string, value: unknown) => {
    const bytes = JSON.stringify(value)
    return { ...fileEntry(name, Buffer.byteLength(bytes)), bytes }
  }
  const written = (entry: TarEntry & { bytes: string }) =>
    Buffer.concat([tarHeader(entry), Buffer.from(entry.bytes), paddingOf(entry.sizeBytes)])
  const first = Buffer.concat([json('manifest.json', manifest), ...entries].map(written))
  const end = json('end.json', { sha256: createHash('sha256').update(first).digest('hex'), bytes: first.length })
  const file = newPath('hostile.tar.gz')
  await writeFile(file, gzipSync(Buffer.concat([first, written(end), tarEnd])))
  return file
}

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
