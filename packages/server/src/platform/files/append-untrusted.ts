import { appendFileSync, closeSync, constants, fstatSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { errnoOf } from '../process/errno.ts'
import { UntrustedFile } from './untrusted-file.ts'

/**
 * Writes that must be complete when the call returns, to files in a folder that an agent can write. A pipe would block the
 * whole process, and a link would have us write to a file elsewhere.
 */

type Bounds = {
  /** The folder that the file must be in. */
  within: string
}

/** Appends to a regular file and creates it if it is missing. */
export function appendUntrusted(path: string, text: string, bounds: Bounds): void {
  write(path, text, bounds, 0)
}

/** Creates a file. Leaves what is already there. */
export function createUntrusted(path: string, text: string, bounds: Bounds): void {
  try {
    write(path, text, bounds, constants.O_EXCL)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
}

const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

function write(path: string, text: string, { within }: Bounds, moreFlags: number): void {
  const refuse = (problem: string): never => {
    throw new UntrustedFile(`${relative(within, path)} ${problem}`)
  }
  const folder = dirname(path)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    if (['EEXIST', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) refuse('is not in a folder')
    throw error
  }
  if (!`${realpathSync(folder)}${sep}`.startsWith(`${realpathSync(within)}${sep}`)) refuse('leads out of its folder')
  const file = openRegular(path, flags | moreFlags, refuse)
  try {
    if (!fstatSync(file).isFile()) refuse('is not a regular file')
    appendFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

function openRegular(path: string, allFlags: number, refuse: (problem: string) => never): number {
  try {
    return openSync(path, allFlags, 0o600)
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ELOOP' || code === 'EMLINK') return refuse('is a link')
    if (code === 'ENXIO' || code === 'EISDIR') return refuse('is not a regular file')
    throw error
  }
}
