import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isInside } from '../contained-path.ts'
import type { SystemUser } from '../home/system-user.ts'
import { firstBarred } from './open-way.ts'

/** What a confined program sees of the file system, beyond what its user may see anyway. */
export type View = {
  /** Folders that appear empty, except for what is shown in them. Outer ones come before those inside them. */
  covers: readonly Cover[]
  /** Paths that appear empty. Each exists and is outside the covers, or in something that is shown. */
  hidden: readonly HiddenPath[]
  shown: readonly ShownPath[]
  /** Whether everything that is not shown as writable is read-only. */
  isReadOnly: boolean
}

type Cover = {
  path: string
  isWritable: boolean
  /** Whether it stays covered where a path around it is shown. */
  isPrivate: boolean
}
type HiddenPath = { path: string; isFolder: boolean }
export type ShownPath = { path: string; isWritable: boolean; isFolder: boolean; isNoexec: boolean }

export type ViewRequest = {
  covers: readonly Cover[]
  hidden: readonly string[]
  writable: readonly string[]
  readable: readonly string[]
  /** Files that stay hidden when they are replaced. */
  secrets: readonly string[]
  /** Folders in which the program may create files, even if a secret is in them: the homes of users. */
  open: readonly string[]
  isReadOnly: boolean
}

/**
 * Resolves links, leaves out what does not exist, and drops what a wider entry includes. What is private or hidden stays so
 * inside a path that is shown; only what is named inside a private folder is shown.
 */
export async function viewOf(asked: ViewRequest): Promise<View> {
  const request = await withoutSecrets(asked)
  const found = await Promise.all(request.covers.map(async (cover) => ({ ...cover, real: await existing(cover.path) })))
  const covers = needed(found.flatMap(({ real, ...cover }) => (real ? [{ ...cover, path: real.path }] : [])))
  const isCovered = (path: string) => covers.some((cover) => isInside(cover.path, path))
  const isPrivate = (path: string) => covers.some((cover) => cover.isPrivate && cover.path === path)
  const isNoexec = isNoexecIn(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''))
  const entry = (isWritable: boolean) => (one: Existing) => ({ ...one, isWritable, isNoexec: isNoexec(one.path) })
  const writable = (await existingOf(request.writable)).map(entry(true))
  const readable = (await existingOf(request.readable)).map(entry(false))
  // What is read-only anyway and not covered needs no entry.
  const shown = [...writable, ...readable].filter(
    ({ path, isWritable }) => !isPrivate(path) && (isCovered(path) || (isWritable && request.isReadOnly)),
  )
  const hidden = outermost(await existingOf(request.hidden)).filter(
    ({ path }) => !isCovered(path) || shown.some((one) => isInside(one.path, path)),
  )
  return { covers, hidden, shown: withoutRepeats(shown, covers), isReadOnly: request.isReadOnly }
}

/**
 * What is mounted over a file vanishes for every process when the file is replaced by a rename, as editors do. So the folder of a
 * secret file is covered as well, and shows what else is in it at the start. Links in it are left out: they could lead to what is private.
 */
async function withoutSecrets(request: ViewRequest): Promise<ViewRequest> {
  const { secrets, isReadOnly } = request
  const closed = (await existingOf(request.covers.map(({ path }) => path))).map(({ path }) => path)
  const open = (await existingOf(['/', ...request.open])).map(({ path }) => path)
  const found = await Promise.all(secrets.map(async (path) => ({ path, real: await existing(dirname(path)) })))
  const folders = new Set(found.flatMap(({ real }) => (real ? [real.path] : [])))
  const covers: Cover[] = []
  const shown: string[] = []
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const isLeft = open.includes(folder) || closed.some((path) => isInside(path, folder)) || entries.length > maxEntries
    if (isLeft) continue
    const names = found.flatMap(({ path, real }) => (real?.path === folder ? [basename(path)] : []))
    covers.push({ path: folder, isWritable: false, isPrivate: true })
    for (const entry of entries)
      if (!entry.isSymbolicLink() && !names.includes(entry.name)) shown.push(join(folder, entry.name))
  }
  return {
    ...request,
    covers: [...request.covers, ...covers],
    hidden: [...request.hidden, ...secrets],
    writable: isReadOnly ? request.writable : [...request.writable, ...shown],
    readable: isReadOnly ? [...request.readable, ...shown] : request.readable,
  }
}

/** Each is a mount. */
const maxEntries = 200

/** Tells whether a path is on a mount from which nothing can be run. The last of the innermost mounts counts. */
export function isNoexecIn(mountinfo: string): (path: string) => boolean {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [, , , , point, options] = line.split(' ')
    return point && options ? [{ point: decoded(point), options: options.split(',') }] : []
  })
  return (path) => {
    const around = mounts.filter(({ point }) => isInside(point, path))
    const depth = Math.max(...around.map(({ point }) => point.length))
    return around.findLast(({ point }) => point.length === depth)?.options.includes('noexec') ?? false
  }
}

function decoded(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
}

type Existing = { path: string; isFolder: boolean }

async function existing(path: string): Promise<Existing | undefined> {
  try {
    const real = await realpath(path)
    return { path: real, isFolder: (await lstat(real)).isDirectory() }
  } catch {
    return undefined
  }
}

async function existingOf(paths: readonly string[]): Promise<Existing[]> {
  return (await Promise.all(paths.map(existing))).filter((one) => one !== undefined)
}

/** What is inside a hidden folder is hidden with it, and is no longer there to be mounted over. */
function outermost(hidden: readonly Existing[]): Existing[] {
  return hidden.filter(({ path }, index) =>
    hidden.every(
      (other, place) => place === index || !isInside(other.path, path) || (other.path === path && index < place),
    ),
  )
}

/** A cover inside another one is part of it, unless it is private. Of two for one path, the private one counts. */
function needed(covers: readonly Cover[]): Cover[] {
  const privateFirst = [...covers].sort((one, other) => Number(other.isPrivate) - Number(one.isPrivate))
  return privateFirst
    .filter(({ path, isPrivate }, index) =>
      privateFirst.every(
        (other, place) =>
          place === index ||
          !isInside(other.path, path) ||
          (other.path === path ? index < place : isPrivate && !other.isPrivate),
      ),
    )
    .sort(outerFirst)
}

/** A path inside another one is longer. */
function outerFirst(one: { path: string }, other: { path: string }): number {
  return one.path.length - other.path.length
}

/** An entry inside a wider one is part of it. The first of two equal entries counts: writable ones come first. */
function withoutRepeats(shown: readonly ShownPath[], covers: readonly Cover[]): ShownPath[] {
  const innermost = (path: string) => covers.findLast((cover) => isInside(cover.path, path))
  return shown
    .filter(
      ({ path, isWritable }, index) =>
        !shown.some(
          (other, place) =>
            place !== index &&
            isInside(other.path, path) &&
            innermost(other.path) === innermost(path) &&
            (other.isWritable || !isWritable) &&
            (other.path !== path || place < index),
        ),
    )
    .sort(outerFirst)
}

/**
 * The folders on the way to what the program needs that its user may not pass through, such as a home of root. The cover
 * hides nothing that the user could have reached.
 */
export async function barredFrom(request: ViewRequest, user: SystemUser | undefined): Promise<Cover[]> {
  if (user === undefined) return []
  const barred = new Set<string>()
  for (const path of [...request.writable, ...request.readable]) {
    const real = await realpath(path).catch(() => undefined)
    const folder = real === undefined ? undefined : await firstBarred(real, user)
    if (folder !== undefined) barred.add(folder)
  }
  return [...barred].map((path) => ({ path, isWritable: false, isPrivate: false }))
}
