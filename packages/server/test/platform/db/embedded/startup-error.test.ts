import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EmbeddedPostgresOptions } from '../../../../src/platform/db/embedded/embedded-postgres.ts'
import { systemUser } from '../../../../src/platform/home/system-user.ts'
import { StartupError } from '../../../../src/platform/startup-error.ts'
import { longEnough } from '../../../support/vitest/long-enough.ts'
import { makeFakePackage } from './fake-package.ts'
import {
  exists,
  hasProcesses,
  isRoot,
  makeHome,
  makeSandbox,
  query,
  remove,
  start,
  withServer,
} from './server-sandbox.ts'

let sandbox: string

beforeAll(async () => {
  sandbox = await makeSandbox()
})

afterAll(() => remove(sandbox))

describe('a start that cannot succeed throws a StartupError', () => {
  test('no PostgreSQL for this platform: names the platform and DATABASE_URL', async () => {
    const home = await makeHome(join(sandbox, 'missing'))
    await mkdir(join(sandbox, 'empty-package'))
    const sentence = await sentenceOf(home, { binaryPackage: join(sandbox, 'empty-package') })
    expect(sentence).toContain(`${process.platform}-${process.arch}`)
    expect(sentence).toContain('DATABASE_URL')
  })

  test('programs that do not run on this machine: gives their reason and DATABASE_URL', async () => {
    const home = await makeHome(join(sandbox, 'foreign'))
    const binaryPackage = await makeFakePackage(join(sandbox, 'foreign-package'), {})
    await writeFile(join(binaryPackage, 'native/bin/postgres'), '#!/nowhere/to/be/found\n')
    const sentence = await sentenceOf(home, { binaryPackage })
    expect(sentence).toContain('does not run on this machine')
    expect(sentence).toContain('ENOENT')
    expect(sentence).toContain('DATABASE_URL')
  })

  test.each(['"', '$(touch /tmp/yardmaster-ran)', '`touch /tmp/yardmaster-ran`'])(
    'a new home with %s in its path: names the characters, and no shell reads them',
    async (part) => {
      const home = await makeHome(join(sandbox, `odd ${part.replaceAll('/', '-')}`))
      expect(await sentenceOf(home)).toContain(
        'the path must not contain ", $ or `. Set YARDMASTER_HOME to another folder',
      )
      expect(await readdir(join(home, 'postgres'))).toEqual([])
    },
  )

  test('data of another major version: names both versions and the folder', async () => {
    const home = await homeWithData('version', { PG_VERSION: '15\n' })
    const sentence = await sentenceOf(home)
    expect(sentence).toContain(join(home, 'postgres/data'))
    expect(sentence).toContain('PostgreSQL 15')
    expect(sentence).toContain('PostgreSQL 18')
  })

  test('a folder that is not a database: stays unchanged and is named', async () => {
    const home = await homeWithData('not-data', { 'holiday.txt': 'pictures' })
    expect(await sentenceOf(home)).toContain(`${join(home, 'postgres/data')} is not a PostgreSQL data directory`)
    expect(await exists(join(home, 'postgres/data/holiday.txt'))).toBe(true)
  })

  test('a broken database: shows the last output of PostgreSQL and the path of its log', async () => {
    const home = await homeWithData('broken', { PG_VERSION: '18\n', 'postgresql.conf': '' })
    await writeFile(join(home, 'postgres/password'), `${'0'.repeat(48)}\n`)
    const sentence = await sentenceOf(home)
    expect(sentence).toMatch(/could not|not valid|does not exist/)
    expect(sentence).toContain(`Its log is ${join(home, 'postgres/postgres.log')}`)
  })

  test.runIf(isRoot)('data of another user: names both users', async () => {
    const home = await homeWithData('theirs', { PG_VERSION: '18\n' })
    await chown(join(home, 'postgres/data'), 12345, 12345)
    expect(await sentenceOf(home)).toContain('belongs to user 12345')
  })

  test('a server that is not ready in time: names the timeout and leaves no process', async () => {
    const home = await homeWithData('slow', { PG_VERSION: '18\n' })
    await writeFile(join(home, 'postgres/password'), `${'0'.repeat(48)}\n`)
    const binaryPackage = await makeFakePackage(join(sandbox, 'slow-package'), {
      postgres: 'trap "exit 0" INT; echo "still recovering" >&2; while :; do sleep 0.05; done',
    })
    const sentence = await longEnough((startTimeoutMs) => sentenceOf(home, { binaryPackage, startTimeoutMs }), {
      firstMs: 300,
      gotFar: (found) => found.includes('still recovering'),
    })
    expect(sentence).toMatch(/not ready after \d+(\.\d)? s/)
    expect(sentence).toContain('still recovering')
    expect(await hasProcesses(join(home, 'postgres/data'))).toBe(false)
  })
})

describe('on a full disk', () => {
  test('a creation that runs out of space reports a full disk and leaves no files', async () => {
    const home = await makeHome(join(sandbox, 'full-create'))
    const binaryPackage = await makeFakePackage(join(sandbox, 'full-create-package'), {
      initdb: 'echo "initdb: error: could not write file: No space left on device" >&2; exit 1',
    })
    const sentence = await sentenceOf(home, { binaryPackage })
    expect(sentence).toContain(`The disk that holds ${join(home, 'postgres/data')} is full`)
    expect(await exists(join(home, 'postgres/data'))).toBe(false)
  })

  test('a server that cannot write reports a full disk', async () => {
    const home = await homeWithData('full-start', { PG_VERSION: '18\n' })
    await writeFile(join(home, 'postgres/password'), `${'0'.repeat(48)}\n`)
    const binaryPackage = await makeFakePackage(join(sandbox, 'full-start-package'), {
      postgres: 'echo "FATAL:  could not write lock file: No space left on device" >&2; exit 1',
    })
    expect(await sentenceOf(home, { binaryPackage })).toContain('is full')
  })

  test.runIf(isRoot && process.platform === 'linux' && canMount())(
    'every stage on a really full disk is reported, and the next start succeeds once there is space',
    async () => {
      const disk = join(sandbox, 'disk')
      await mkdir(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=755', 'tmpfs', disk])
      try {
        const home = await makeHome(join(disk, 'home'))
        // First not even the programs fit, then they do but the database does not.
        for (const size of ['16m', '75m']) {
          execFileSync('mount', ['-o', `remount,size=${size}`, disk])
          expect(await sentenceOf(home)).toMatch(/^The disk that holds .* is full/)
        }
        execFileSync('mount', ['-o', 'remount,size=200m', disk])
        await withServer(home, async ({ server }) => {
          expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }])
        })
      } finally {
        execFileSync('umount', [disk])
      }
    },
  )
})

async function sentenceOf(home: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<string> {
  try {
    const { server } = await start(home, options)
    await server.stop()
  } catch (error) {
    if (error instanceof StartupError) return error.message
    throw error
  }
  throw new Error('the start succeeded')
}

/** A home whose data directory holds just these files, owned by the user of the server. */
async function homeWithData(name: string, files: Record<string, string>): Promise<string> {
  const home = await makeHome(join(sandbox, name))
  const data = join(home, 'postgres/data')
  await mkdir(data, { recursive: true })
  await chmod(join(home, 'postgres'), 0o711)
  await chmod(data, 0o700)
  const user = await systemUser('postgres')
  for (const [file, text] of Object.entries(files)) await writeFile(join(data, file), text)
  if (user === undefined) return home
  for (const path of [data, ...Object.keys(files).map((file) => join(data, file))])
    await chown(path, user.uid, user.gid)
  return home
}

/** Root in a container often may not mount. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
