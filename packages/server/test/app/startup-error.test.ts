import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStorage } from '../../src/app/open-storage.ts'
import { applicationRole } from '../../src/platform/db/embedded/create-database.ts'
import { openHome } from '../../src/platform/home/home.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import { testDatabase } from '../support/database/database.ts'
import { silentLog } from '../support/log/silent-log.ts'
import { type ServerOptions, startAndFail, testFolder } from '../support/processes/server-process.ts'

describe('a start that cannot succeed exits with code 1 and one sentence', () => {
  type Case = { what: string; prepare(folder: string): Promise<Partial<ServerOptions>>; sentence: RegExp }
  const cases: Case[] = [
    {
      what: 'a bad value in .env',
      prepare: async (folder) => {
        await writeFile(join(folder, '.env'), 'ROLE=leader\n')
        return { cwd: folder }
      },
      sentence: /^ROLE must be one of: all, web, worker\.$/,
    },
    {
      what: 'a port that is taken',
      prepare: async () => {
        const port = await takePort()
        return { environment: { DATABASE_URL: (await testDatabase()).url, PORT: String(port) } }
      },
      sentence: /^Port \d+ on 127\.0\.0\.1 is taken by another program; set PORT to a free one\.$/,
    },
    {
      what: 'a home that cannot be written',
      prepare: async (folder) => {
        const home = join(folder, 'theirs')
        await mkdir(home)
        // No file mode restricts root, but root is refused a folder of another user too.
        if (process.getuid?.() === 0) await chown(home, 65_534, 65_534)
        else await chmod(home, 0o500)
        return { home }
      },
      sentence: /^The home folder \S+theirs .*Set YARDMASTER_HOME to \S.*\.$/,
    },
    {
      what: 'a database that is newer than the code',
      prepare: async () => {
        const { url, pool } = await testDatabase()
        await pool.query(`insert into schema_migrations (version, name, digest) values (9999, '9999_next.sql', 'x')`)
        return { environment: { DATABASE_URL: url } }
      },
      sentence: /^The database is newer than this Yardmaster: its schema is at version 9999, this code knows \d+\. .*$/,
    },
  ]

  test.each(cases)('$what', async ({ prepare, sentence }) => {
    const folder = await testFolder()
    const outcome = await startAndFail({ home: join(folder, 'home'), ...(await prepare(folder)) })
    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toMatch(/^Yardmaster cannot start: .*\n$/)
    expect(outcome.stderr.slice('Yardmaster cannot start: '.length).trimEnd()).toMatch(sentence)
  })

  async function takePort(): Promise<number> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port was taken')
    return address.port
  }
})

test('an unreachable database is retried until the timeout and then reported without its password', async () => {
  const home = await openHome(join(await testFolder(), 'home'))
  onTestFinished(() => home.release())
  const databaseUrl = 'postgres://user:hunter2@127.0.0.1:1/yard'
  const opening = openStorage({ databaseUrl, home, log: silentLog, connectTimeoutMs: 700 })
  await expect(opening).rejects.toThrow(
    new StartupError(
      'The database could not be reached for 0.7 s: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL and that its server runs.',
    ),
  )
})

test.each([
  { change: { pathname: '/nowhere' }, reason: 'database "nowhere" does not exist' },
  { change: { password: 'wrong' }, reason: `password authentication failed for user "${applicationRole}"` },
])('a database that rejects the connection is reported at once: $reason', async ({ change, reason }) => {
  const home = await openHome(join(await testFolder(), 'home'))
  onTestFinished(() => home.release())
  const url = new URL((await testDatabase()).url)
  Object.assign(url, change)
  await expect(openStorage({ databaseUrl: url.href, home, log: silentLog })).rejects.toThrow(
    new StartupError(`The database rejected the connection: ${reason}. Check DATABASE_URL.`),
  )
})
