import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { restore } from '../../../src/app/backup/restore.ts'
import { fileEntry, paddingOf, type TarEntry, tarEnd, tarHeader } from '../../../src/platform/files/tar.ts'
import { openHome } from '../../../src/platform/home/home.ts'
import { testApp } from '../../support/app/app.ts'
import { backupHelpers } from '../../support/app/backups.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { newPath, takeBackup, emptyDatabase, restored } = backupHelpers(app)

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
    for (const [databaseUrl, sentence] of [
      [app.databaseUrl, 'The database is not empty.'],
      ['postgres://nowhere.invalid/x', 'The database cannot be reached'],
    ] as const)
      await expect(restore({ home, databaseUrl, file, isForced: true })).rejects.toThrow(sentence)
    expect(await readdir(home)).toEqual(['mine'])
    const { movedTo } = await restore({ home, databaseUrl: await emptyDatabase(), file, isForced: true })
    expect(await readdir(movedTo ?? '')).toEqual(['mine'])
    expect(existsSync(join(home, 'host-id'))).toBe(true)
  })

  test('no Yardmaster starts on a home whose restore did not finish', async () => {
    const home = newPath('home')
    const { file } = await withStrangeRows()
    await expect(restored(file, home)).rejects.toThrow('invalid input syntax')
    await expect(openHome(home)).rejects.toThrow(/restore .* did not finish/)
  })

  test('a restore whose rows the database refuses says why, and leaves no connection behind', async () => {
    const { file, databaseUrl } = await withStrangeRows()
    await expect(restore({ home: newPath('home'), databaseUrl, file })).rejects.toThrow('invalid input syntax')
    const { file: unknown, databaseUrl: other } = await withStrangeRows({ table: 'nowhere' })
    await expect(restore({ home: newPath('home'), databaseUrl: other, file: unknown })).rejects.toThrow(
      'does not exist',
    )
    const names = [databaseUrl, other].map((url) => new URL(url).pathname.slice(1))
    await eventually(
      () => app.pool.query('select from pg_stat_activity where datname = any($1)', [names]),
      ({ rowCount }) => rowCount === 0,
    )
  })

  test('a restore refuses a backup of a newer schema, and one whose migrations are not ours', async () => {
    const manifest = (digests: string[]) => ({
      format: 1,
      version: '9.9.9',
      createdAt: '2030-01-01T00:00:00Z',
      database: { digests, tables: [] },
    })
    const home = newPath('home')
    const newer = await hostile([], manifest(Array(500).fill('x')))
    await expect(restored(newer, home)).rejects.toThrow('The backup is newer than this Yardmaster')
    const foreign = await hostile([], manifest(['x']))
    await expect(restored(foreign, home)).rejects.toThrow('differs from the one of the backup')
    expect(existsSync(home)).toBe(false)
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

  test('a restore writes nothing into the programs of the database where upper and lower case are the same', async () => {
    const file = await hostile([{ ...fileEntry('home/Postgres/bin/initdb', 4), bytes: 'evil' }])
    const attempt = restore({ home: newPath('home'), databaseUrl: undefined, file, isHomeOnly: true })
    await expect(attempt).rejects.toThrow('does not belong into a home')
  })

  test('a restore makes no link through another link', async () => {
    const outside = newPath('outside')
    await mkdir(outside)
    const link = (path: string, target: string) => ({
      ...fileEntry(path, 0),
      type: 'link' as const,
      target: Buffer.from(target),
      bytes: '',
    })
    const file = await hostile([link('home/door', outside), link('home/door/evil', '/etc/passwd')])
    const attempt = restore({ home: newPath('home'), databaseUrl: undefined, file, isHomeOnly: true })
    await expect(attempt).rejects.toThrow('The backup has a link in the folder')
    expect(await readdir(outside)).toEqual([])
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

/** A backup with a row that its table does not take, and an empty database for it. */
async function withStrangeRows({ table = 'settings' } = {}): Promise<{ file: string; databaseUrl: string }> {
  const { rows } = await app.pool.query<{ digest: string }>('select digest from schema_migrations order by version')
  const tables = [{ schema: 'public', name: table, columns: ['spot_max_concurrent_sessions'] }]
  const file = await hostile([{ ...fileEntry(`database/public.${table}/000001.copy`, 5), bytes: 'many\n' }], {
    format: 1,
    version: '1.0.0',
    createdAt: '2030-01-01T00:00:00Z',
    database: { digests: rows.map(({ digest }) => digest), tables },
  })
  return { file, databaseUrl: await emptyDatabase() }
}

/** A backup with a right digest and these entries. */
async function hostile(
  entries: readonly (TarEntry & { bytes: string })[],
  manifest: unknown = { format: 1, version: '1.0.0', createdAt: '2030-01-01T00:00:00Z', database: null },
): Promise<string> {
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
