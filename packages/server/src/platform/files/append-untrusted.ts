import { appendFileSync, closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
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
  const folder = openFolder(dirname(path), within, refuse)
  try {
    const file = openRegular(join(placeOf(folder, dirname(path)), basename(path)), flags | moreFlags, refuse)
    try {
      const stats = fstatSync(file)
      if (!stats.isFile()) refuse('is not a regular file')
      if (stats.nlink > 1) refuse('has a second name')
      appendFileSync(file, text)
    } finally {
      closeSync(file)
    }
  } finally {
    closeSync(folder)
  }
}

/**
 * Opens each folder below the one before it and follows no link, so a folder that the agent replaces meanwhile leads nowhere
 * else. Creates what is missing.
 */
function openFolder(path: string, within: string, refuse: (problem: string) => never): number {
  const names = relative(within, path).split(sep).filter(Boolean)
  if (names.includes('..')) refuse('leads out of its folder')
  let folder = openSync(within, folderFlags)
  for (const [depth, name] of names.entries()) {
    const parent = folder
    try {
      folder = enter(join(placeOf(parent, join(within, ...names.slice(0, depth))), name), refuse)
    } finally {
      closeSync(parent)
    }
  }
  return folder
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

function enter(place: string, refuse: (problem: string) => never): number {
  try {
    mkdirSync(place, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
  try {
    return openSync(place, folderFlags)
  } catch (error) {
    if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes(errnoOf(error) ?? '')) return refuse('is not in a folder')
    throw error
  }
}

/** Linux resolves this path to the open folder itself. Elsewhere a folder that is replaced meanwhile is not noticed. */
function placeOf(folder: number, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder}` : path
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
