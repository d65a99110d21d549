import { execFileSync } from 'node:child_process'
import { lchown, lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tryFileLock, withFileLock } from '../../../src/platform/concurrency/file-lock.ts'
import { type LineChild, startLineChild } from '../../support/processes/line-child.ts'
import { failureOf } from '../git/playground.ts'

const waiting = { timeoutMs: 20_000 }
const isRoot = process.geteuid?.() === 0
const otherUser = 65_534

describe('withFileLock', () => {
  test('withFileLock lets one caller at a time run and removes the lock afterwards', async () => {
    const { folder, lock } = await makeFolder()
    expect(await mostAtOnce(lock, 8)).toBe(1)
    expect(await readdir(folder)).toEqual([])
  })

  test('withFileLock releases the lock when the work fails', async () => {
    const { lock } = await makeFolder()
    const failure = new Error('The work failed')

    expect(await failureOf(withFileLock(lock, waiting, () => Promise.reject(failure)))).toBe(failure)
    expect(await withFileLock(lock, waiting, async () => 'again')).toBe('again')
  })

  test('times out while another process holds the lock', async () => {
    const { lock } = await makeFolder()
    const holder = await startHolder(lock)

    expect(await failureOf(withFileLock(lock, { timeoutMs: 100 }, async () => {}))).toMatchObject({
      name: 'FileLockTimeout',
      message: `${lock} is held by process ${holder.pid}`,
    })
  })

  test('withFileLock takes over the lock of a killed process, one caller at a time', async () => {
    const { folder, lock } = await makeFolder()
    await (await startHolder(lock)).kill()
    expect((await lstat(lock)).isSymbolicLink()).toBe(true)

    expect(await mostAtOnce(lock, 5)).toBe(1)
    expect(await readdir(folder)).toEqual([])
  })

  test('withFileLock takes over when the process that was removing a stale lock has died too', async () => {
    const { folder, lock } = await makeFolder()
    await symlink('999999999 long-ago token', lock)
    await symlink('999999998 long-ago token', `${lock}.clearing`)

    expect(await withFileLock(lock, waiting, async () => 'inside')).toBe('inside')
    expect(await readdir(folder)).toEqual([])
  })

  test('withFileLock takes over a lock whose pid now belongs to another process', async () => {
    const { lock } = await makeFolder()
    await symlink(`${process.pid} before-the-reboot token`, lock)

    expect(await withFileLock(lock, waiting, async () => 'inside')).toBe('inside')
  })

  test('withFileLock rejects with the reason of the abort while it waits', async () => {
    const { lock } = await makeFolder()
    const controller = new AbortController()
    const reason = new Error('No longer wanted')

    await withFileLock(lock, waiting, async () => {
      const second = failureOf(withFileLock(lock, { ...waiting, signal: controller.signal }, async () => {}))
      controller.abort(reason)
      expect(await second).toBe(reason)
    })
  })
})

describe('tryFileLock', () => {
  test('names the process that holds the lock, without waiting for it', async () => {
    const { lock } = await makeFolder()
    const holder = await startHolder(lock)

    expect(await tryFileLock(lock)).toMatchObject({ heldBy: { pid: holder.pid } })
  })

  test('tryFileLock takes over the lock of a killed process', async () => {
    const { folder, lock } = await makeFolder()
    await (await startHolder(lock)).kill()

    const taken = await tryFileLock(lock)
    if ('heldBy' in taken) expect.fail(`held by ${taken.heldBy.pid}`)
    expect(await readlink(lock)).toMatch(new RegExp(`^${process.pid} `))
    await taken.release()
    expect(await readdir(folder)).toEqual([])
  })

  test('tryFileLock gives a stale lock to exactly one of many callers', async () => {
    const { lock } = await makeFolder()
    await (await startHolder(lock)).kill()

    const attempts = await Promise.all(Array.from({ length: 10 }, () => tryFileLock(lock)))
    expect(attempts.filter((attempt) => 'release' in attempt)).toHaveLength(1)
  })

  test('tryFileLock leaves the lock of the next holder alone when a lock is released twice', async () => {
    const { lock } = await makeFolder()
    const first = await tryFileLock(lock)
    if ('heldBy' in first) expect.fail(`held by ${first.heldBy.pid}`)
    await first.release()
    const second = await tryFileLock(lock)
    await first.release()

    expect(second).toHaveProperty('release')
    expect(await tryFileLock(lock)).toHaveProperty('heldBy')
  })
})

describe('something else at the path of the lock', () => {
  test('a link that leads to a file is removed, and the file stays', async () => {
    const { folder, lock } = await makeFolder()
    await writeFile(join(folder, 'precious'), 'content')
    await symlink('precious', lock)

    expect(await withFileLock(lock, waiting, async () => 'inside')).toBe('inside')
    expect(await readdir(folder)).toEqual(['precious'])
  })

  test.each([
    ['a regular file', (path: string) => writeFile(path, '')],
    ['a folder', (path: string) => mkdir(path)],
    ['a pipe', async (path: string) => execFileSync('mkfifo', [path])],
  ])('%s at the path of the file lock is neither opened nor removed, and the error names it', async (_, make) => {
    const { folder, lock } = await makeFolder()
    await make(lock)
    const sentence = `${lock} is not a lock of Yardmaster's; remove it`

    expect(await failureOf(withFileLock(lock, waiting, async () => {}))).toMatchObject({ message: sentence })
    expect(await failureOf(tryFileLock(lock))).toMatchObject({ message: sentence })
    expect(await readdir(folder)).toEqual(['the.lock'])
  })

  test.runIf(isRoot)('a lock that belongs to another user counts while its process runs', async () => {
    const { lock } = await makeFolder()
    const holder = await startHolder(lock)
    await lchown(lock, otherUser, otherUser)
    expect(await tryFileLock(lock)).toMatchObject({ heldBy: { pid: holder.pid } })

    await holder.kill()
    expect(await tryFileLock(lock)).toHaveProperty('release')
  })
})

/** How many of `callers` were inside the lock at the same moment, at most. */
async function mostAtOnce(lock: string, callers: number): Promise<number> {
  let inside = 0
  let most = 0
  const work = async (): Promise<void> => {
    inside += 1
    most = Math.max(most, inside)
    await nextTick()
    inside -= 1
  }
  await Promise.all(Array.from({ length: callers }, () => withFileLock(lock, waiting, work)))
  return most
}

async function makeFolder(): Promise<{ folder: string; lock: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-lock-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { folder, lock: join(folder, 'the.lock') }
}

/** A second process that holds the lock. */
async function startHolder(lock: string): Promise<LineChild> {
  const holder = startLineChild(new URL('./lock-holder.mjs', import.meta.url), [lock])
  onTestFinished(() => holder.kill())
  await holder.nextLine()
  return holder
}
