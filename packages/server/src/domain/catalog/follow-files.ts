import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createMutex } from '../../platform/concurrency/mutex.ts'
import type { Log } from '../../platform/log/log.ts'
import { markOf } from './files/reading.ts'

export type Following = {
  /** Looks now, and waits until whatever was found is dealt with. */
  look(): Promise<void>
  close(): Promise<void>
}

export type FollowOptions = {
  /** The marks of what was read last. */
  marks(): ReadonlyMap<string, string>
  /** Reads again. */
  onChange(): Promise<void>
  log: Log
  /** How long the files must be left alone after a change: an editor writes in several steps. */
  settleMs?: number
  /** A look without being told: folders that cannot be watched, such as those of a network, are followed by this alone. */
  pollMs?: number
  isWatching?: boolean
}

/** Beyond this many folders the rest is left to the poll; watches are few on some machines. */
const maxWatches = 100
const maxRounds = 3

/**
 * Calls `onChange` when anything that was read looks different. Being told by the system only makes it quick: what counts
 * is another look at every path, so files that were replaced, folders that were swapped and files that were missing are
 * all noticed the same way.
 */
export function followFiles(options: FollowOptions): Following {
  const { marks, onChange, log, settleMs = 150, pollMs = 3000, isWatching = true } = options
  let watchers: FSWatcher[] = []
  let settling: NodeJS.Timeout | undefined
  const mutex = createMutex()
  let isClosed = false

  const look = (): Promise<void> =>
    mutex(async () => {
      // Again, in case something was written while we read; not for ever, in case it never ends.
      for (let round = 0; round < maxRounds && !isClosed && (await hasChanged(marks())); round += 1) {
        await onChange()
        rewatch()
      }
    })
  const lookLater = (): void => {
    clearTimeout(settling)
    settling = setTimeout(lookOrSay, settleMs)
  }
  const lookOrSay = (): void => {
    look().catch((error: unknown) => log.error({ err: error }, 'looking for changes of the catalog failed'))
  }
  const rewatch = (): void => {
    for (const watcher of watchers) watcher.close()
    watchers =
      isWatching && !isClosed ? foldersOf(marks()).flatMap((folder) => watchFolder(folder, lookLater) ?? []) : []
  }

  const poll = setInterval(lookOrSay, pollMs)
  poll.unref()
  rewatch()
  return {
    look,
    close: async () => {
      isClosed = true
      clearInterval(poll)
      clearTimeout(settling)
      rewatch()
      await mutex(async () => {})
    },
  }
}

async function hasChanged(marks: ReadonlyMap<string, string>): Promise<boolean> {
  for (const [path, mark] of marks) if ((await markOf(path)) !== mark) return true
  return false
}

/** A folder to watch, and the names in it that matter; undefined is all of them. */
type WatchedFolder = { path: string; names: ReadonlySet<string> | undefined }

/** The folders that what was read lies in: there a replaced file is told of as well as a changed one. */
function foldersOf(marks: ReadonlyMap<string, string>): WatchedFolder[] {
  const names = new Map<string, Set<string>>()
  for (const path of marks.keys()) {
    const folder = dirname(path)
    names.set(folder, (names.get(folder) ?? new Set()).add(basename(path)))
  }
  // Of a folder that was read itself every change counts. Others, such as the one our own lies in, may be busy places.
  const folders = [...names].map(([path, named]) => ({ path, names: marks.has(path) ? undefined : named }))
  return folders.slice(0, maxWatches)
}

/** Undefined where it cannot be watched: it is not there, or the machine has no watches left. */
function watchFolder({ path, names }: WatchedFolder, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (_event, name) => {
      if (names === undefined || name === null || names.has(name)) onChange()
    })
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
