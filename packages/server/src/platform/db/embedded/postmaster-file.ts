import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../../process/errno.ts'

/** The facts that a running server writes into `postmaster.pid`, one per line. */
export type PostmasterFile = { pid: number; socketDirectory: string | undefined; isReady: boolean }

export function postmasterFile(data: string): string {
  return join(data, 'postmaster.pid')
}

/** Undefined when there is no file, or it is still being written. */
export async function readPostmasterFile(data: string): Promise<PostmasterFile | undefined> {
  const lines = await readLines(postmasterFile(data))
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, socketDirectory: lines[4]?.trim() || undefined, isReady: lines[7]?.trim() === 'ready' }
}

async function readLines(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}
