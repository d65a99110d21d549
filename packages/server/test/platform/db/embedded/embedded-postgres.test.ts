import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connect,
  copyHome,
  exists,
  hasProcesses,
  isRoot,
  makeHome,
  makeSandbox,
  query,
  remove,
  withServer,
} from './server-sandbox.ts'

let sandbox: string
let template: string

beforeAll(async () => {
  sandbox = await makeSandbox()
  template = await makeHome(join(sandbox, 'template'))
  await withServer(template, async ({ server }) => {
    await query(server.connection, 'create table kept (n int primary key)')
    await query(server.connection, 'insert into kept values (1), (2), (3)')
  })
})

afterAll(() => remove(sandbox))

describe('the first start', () => {
  test('the first start of the embedded database creates a working database in UTF-8 with checksums, and its stop leaves no process', async () => {
    const home = await makeHome(join(sandbox, 'first'))
    // The leftovers of an interrupted creation.
    await mkdir(join(home, 'postgres/data.new-0123/base'), { recursive: true })
    if (isRoot) await chmod(join(home, 'postgres'), 0o711)
    const data = await withServer(home, async ({ server, lines }) => {
      expect(lines).toEqual([`creating a database in ${server.dataDirectory}`])
      expect(server.dataDirectory).toBe(join(home, 'postgres/data'))
      expect(await query(server.connection, settingsQuery)).toEqual([
        {
          database: 'yardmaster',
          user: 'yardmaster_app',
          encoding: 'UTF8',
          provider: 'b',
          locale: 'C.UTF-8',
          checksums: 'on',
          listens: '',
        },
      ])
      expect(server.pid()).toBeGreaterThan(0)
      expect(await hasProcesses(server.dataDirectory)).toBe(true)
      return server.dataDirectory
    })
    expect(await hasProcesses(data)).toBe(false)
    expect(await exists(join(data, 'postmaster.pid'))).toBe(false)
    expect(await exists(join(home, 'postgres/data.new-0123'))).toBe(false)
  })
})

const settingsQuery = `
  select current_database() as database,
    current_user as user,
    pg_encoding_to_char(encoding) as encoding,
    datlocprovider as provider,
    datlocale as locale,
    current_setting('data_checksums') as checksums,
    current_setting('listen_addresses') as listens
  from pg_database
  where datname = current_database()`

describe('a later start', () => {
  test('a later start of the embedded database keeps every row, and the connection string works', async () => {
    const home = await copyHome(template, join(sandbox, 'warm'))
    await withServer(home, async ({ server }) => {
      const client = new pg.Client({ connectionString: server.connectionString })
      await client.connect()
      expect((await client.query('select n from kept order by n')).rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
      await client.end()
    })
  })

  test('a later start of the embedded database uses the settings and database name of the caller, in a home with special characters', async () => {
    const home = await copyHome(template, join(sandbox, 'an "odd", näme'))
    await withServer(
      home,
      async ({ server }) => {
        const rows = await query(
          server.connection,
          "select current_database() as name, current_setting('work_mem') as mem",
        )
        expect(rows).toEqual([{ name: 'an "odd" name', mem: '5MB' }])
      },
      { settings: { work_mem: '5MB' }, database: 'an "odd" name' },
    )
  })

  test('a lost password is replaced, and the rows are kept', async () => {
    const home = await copyHome(template, join(sandbox, 'password'))
    await rm(join(home, 'postgres/password'))
    for (const expected of [/password was not in/, undefined]) {
      await withServer(home, async ({ server, lines }) => {
        expect(await query(server.connection, 'select n from kept')).toHaveLength(3)
        if (expected === undefined) expect(lines).toEqual([])
        else expect(lines.join('\n')).toMatch(expected)
      })
    }
  })

  test('a wrong password is a StartupError with advice', async () => {
    const home = await copyHome(template, join(sandbox, 'wrong-password'))
    await writeFile(join(home, 'postgres/password'), `${'0'.repeat(48)}\n`)
    const refusal = withServer(home, async () => undefined)
    await expect(refusal).rejects.toThrow(`Remove that file, and the next start sets a new password.`)
    expect(await hasProcesses(join(home, 'postgres/data'))).toBe(false)
  })

  test('a path too long for a socket gets a short private folder, which the stop removes', async () => {
    const home = await copyHome(template, join(sandbox, 'long'.repeat(30)))
    const socketDirectory = await withServer(home, async ({ server }) => {
      expect(await query(server.connection, 'select n from kept')).toHaveLength(3)
      expect((await stat(server.connection.host)).mode & 0o777).toBe(0o700)
      return server.connection.host
    })
    expect(socketDirectory.startsWith(home)).toBe(false)
    expect(await exists(socketDirectory)).toBe(false)
  })

  test('a stop closes open connections and is idempotent', async () => {
    const home = await copyHome(template, join(sandbox, 'open'))
    await withServer(home, async ({ server }) => {
      const client = await connect(server.connection)
      const broken = client.query('select pg_sleep(60)').then(
        () => 'answered',
        () => 'broken',
      )
      await Promise.all([server.stop(), server.stop()])
      expect(await broken).toBe('broken')
      expect(server.pid()).toBeUndefined()
      expect(await hasProcesses(server.dataDirectory)).toBe(false)
    })
  })
})

describe('access by other users', () => {
  test('password, socket and log are inaccessible to other users, and a wrong password is rejected', async () => {
    const home = await copyHome(template, join(sandbox, 'closed'))
    await withServer(home, async ({ server }) => {
      const permissions = async (path: string) => (await stat(path)).mode & 0o777
      expect(await permissions(join(home, 'postgres/password'))).toBe(0o600)
      expect(await permissions(join(home, 'postgres/postgres.log'))).toBe(0o600)
      expect(await permissions(server.connection.host)).toBe(0o700)
      await expect(connect({ ...server.connection, password: 'guess' })).rejects.toThrow(
        /password authentication failed/,
      )
    })
  })

  test('the log reports an error without quoting its row', async () => {
    const home = await copyHome(template, join(sandbox, 'log'))
    await withServer(home, async ({ server }) => {
      await query(server.connection, "create table secrets (v text unique check (v <> 'canary-2'))")
      await query(server.connection, "insert into secrets values ('canary-1')")
      for (const value of ['canary-1', 'canary-2']) {
        await expect(query(server.connection, `insert into secrets values ('${value}')`)).rejects.toThrow()
      }
    })
    const text = await readFile(join(home, 'postgres/postgres.log'), 'utf8')
    expect(text).toContain('violates unique constraint')
    expect(text).not.toContain('canary')
  })
})

describe.runIf(isRoot)('as root', () => {
  test('a home below an inaccessible parent has its database elsewhere, and the next start finds it', async () => {
    const closed = join(sandbox, 'closed-parent')
    await mkdir(closed, { mode: 0o700 })
    const home = await makeHome(join(closed, 'home'))
    const folder = await withServer(home, async ({ server, lines }) => {
      expect(lines.join('\n')).toContain(`who could not enter ${home}`)
      expect(lines.join('\n')).toContain(dirname(server.dataDirectory))
      await query(server.connection, 'create table far (n int)')
      return dirname(server.dataDirectory)
    })
    try {
      expect(folder).toMatch(/^\/var\/lib\/yardmaster-postgres\/[0-9a-f]+$/)
      expect((await stat(closed)).mode & 0o777).toBe(0o700)

      // The home is accessible now, and the data still stays where it is.
      await chmod(closed, 0o755)
      await withServer(home, async ({ server }) => {
        expect(dirname(server.dataDirectory)).toBe(folder)
        expect(await query(server.connection, 'select from far')).toEqual([])
      })

      // Missing data is reported, not replaced by an empty database.
      await rename(join(folder, 'data'), join(folder, 'gone'))
      await expect(withServer(home, async () => undefined)).rejects.toThrow(`was kept in ${folder}: bring it back`)

      // An earlier version gave the note this name.
      await writeFile(join(home, 'postgres/data-lies-elsewhere'), '/var/lib/yardmaster-postgres/of-another-path\n')
      await expect(withServer(home, async () => undefined)).rejects.toThrow(`move the database to ${folder}`)
    } finally {
      await remove(folder)
    }
  })

  test('a database in the home that became inaccessible is not replaced by an empty one', async () => {
    const home = await copyHome(template, join(sandbox, 'shut'))
    await chmod(home, 0o700)
    await expect(withServer(home, async () => undefined)).rejects.toThrow(/can no longer enter that folder/)
  })
})
