import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { withFileLock } from '../../../src/platform/concurrency/file-lock.ts'
import { type LineChild, startLineChild } from '../../support/processes/line-child.ts'
import { failureOf } from '../git/playground.ts'

const patient = { patienceMs: 20_000 }

test('only one of many is inside at a time, and the lock is gone afterwards', async () => {
  const { folder, lock } = await makeFolder()
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withFileLock(lock, patient, async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      }),
    ),
  )

  expect(most).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

test('the lock is given back when the work fails', async () => {
  const { lock } = await makeFolder()
  const failure = new Error('The work failed')

  expect(await failureOf(withFileLock(lock, patient, () => Promise.reject(failure)))).toBe(failure)
  expect(await withFileLock(lock, patient, async () => 'again')).toBe('again')
})

test('a living process keeps its lock; a killed one loses it to exactly one of those who wait', async () => {
  const { folder, lock } = await makeFolder()
  const holder = startHolder(lock)
  await holder.nextLine()
  expect(await failureOf(withFileLock(lock, { patienceMs: 100 }, async () => {}))).toMatchObject({
    name: 'FileLockBusy',
  })

  await holder.kill()
  let inside = 0
  const seen: number[] = []
  await Promise.all(
    Array.from({ length: 5 }, () =>
      withFileLock(lock, patient, async () => {
        inside += 1
        seen.push(inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      }),
    ),
  )

  expect(seen).toEqual(Array.from({ length: 5 }, () => 1))
  expect(await readdir(folder)).toEqual([])
})

test('a process that died while clearing away the lock of another one stops nobody', async () => {
  const { folder, lock } = await makeFolder()
  await symlink('999999999 long-ago token', lock)
  await symlink('999999998 long-ago token', `${lock}.clearing`)

  expect(await withFileLock(lock, patient, async () => 'inside')).toBe('inside')
  expect(await readdir(folder)).toEqual([])
})

test('a process that has the pid of a dead holder is not taken for it', async () => {
  const { lock } = await makeFolder()
  await symlink(`${process.pid} before-the-reboot token`, lock)

  expect(await withFileLock(lock, patient, async () => 'inside')).toBe('inside')
})

test('waiting ends with the reason of the caller', async () => {
  const { lock } = await makeFolder()
  const controller = new AbortController()
  const reason = new Error('No longer wanted')

  await withFileLock(lock, patient, async () => {
    const waiting = failureOf(withFileLock(lock, { ...patient, signal: controller.signal }, async () => {}))
    controller.abort(reason)
    expect(await waiting).toBe(reason)
  })
})

async function makeFolder(): Promise<{ folder: string; lock: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-lock-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { folder, lock: join(folder, 'the.lock') }
}

function startHolder(lock: string): LineChild {
  const holder = startLineChild(new URL('./lock-holder.mjs', import.meta.url), [lock])
  onTestFinished(() => holder.kill())
  return holder
}
