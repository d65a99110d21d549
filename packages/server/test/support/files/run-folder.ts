import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf } from '../../../src/platform/process/errno.ts'

/**
 * A folder for everything that a run writes: in memory where the system offers that, because making files is most of
 * what the tests have the kernel do. Whoever has set TMPDIR has chosen already.
 */
export async function makeQuickFolder(): Promise<string> {
  const isChosen = process.env.TMPDIR !== undefined
  if (!isChosen && (await isRoomy(inMemory))) {
    await removeLeftovers()
    const folder = await mkdtemp(join(inMemory, prefix))
    if (await runsPrograms(folder)) return open(folder)
    await rm(folder, { recursive: true, force: true })
  }
  return open(await mkdtemp(join(tmpdir(), prefix)))
}

const inMemory = '/dev/shm'

/** Short, because paths of sockets have a limit; with our pid, so that the next run knows whether it is still in use. */
const prefix = `yard-${process.pid}-`

/** Several times what a run has ever had at once. A container's own is commonly 64 MB. */
const roomBytes = 3 * 2 ** 30

/** Of runs that were killed: memory that nobody would give back. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(inMemory)) {
    const pid = Number(/^yard-(\d+)-/.exec(name)?.[1])
    if (pid > 0 && !isAlive(pid)) await rm(join(inMemory, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errnoOf(error) !== 'ESRCH'
  }
}

async function isRoomy(path: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize >= roomBytes
  } catch {
    return false
  }
}

/** It may be mounted in such a way that nothing in it may be executed. */
async function runsPrograms(folder: string): Promise<boolean> {
  const program = join(folder, 'try')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o700 })
  try {
    await promisify(execFile)(program)
    return true
  } catch {
    return false
  } finally {
    await rm(program)
  }
}

/** As the system's own: also the database's user makes files in it when the tests run as root. */
async function open(folder: string): Promise<string> {
  await chmod(folder, 0o1777)
  return folder
}
