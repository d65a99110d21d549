import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf } from '../../../src/platform/process/errno.ts'

/**
 * A temporary folder for everything that a run writes. It is in memory if the system has a large enough tmpfs, because
 * creating files is most of the tests' system time. A TMPDIR in the environment takes precedence.
 */
export async function makeRunFolder(): Promise<string> {
  const isChosen = process.env.TMPDIR !== undefined
  if (!isChosen && (await hasEnoughSpace(inMemory))) {
    await removeLeftovers()
    const folder = await mkdtemp(join(inMemory, prefix))
    if (await allowsExecution(folder)) return makeWritable(folder)
    await rm(folder, { recursive: true, force: true })
  }
  return makeWritable(await mkdtemp(join(tmpdir(), prefix)))
}

const inMemory = '/dev/shm'

/** Short, because socket paths have a length limit. Contains the pid, so that a later run can tell whether it is in use. */
const prefix = `yard-${process.pid}-`

/** Several times the peak usage of a run. The /dev/shm of a container often has only 64 MB. */
const neededBytes = 3 * 2 ** 30

/** Removes the folders of killed runs, which would occupy memory until the next reboot. */
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

async function hasEnoughSpace(path: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}

/** False if the file system is mounted `noexec`. */
async function allowsExecution(folder: string): Promise<boolean> {
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

/** The mode of /tmp: if the tests run as root, the database's user creates files in it too. */
async function makeWritable(folder: string): Promise<string> {
  await chmod(folder, 0o1777)
  return folder
}
