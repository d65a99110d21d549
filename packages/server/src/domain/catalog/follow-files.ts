import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createMutex } from '../../platform/concurrency/mutex.ts'
import type { Log } from '../../platform/log/log.ts'
import { markOf } from './files/reading.ts'

export type Following = {
  /** Checks now, and resolves when any change has been processed. */
  look(): Promise<void>
  close(): Promise<void>
}

export type FollowOptions = {
  /** The fingerprints of the paths from the last read. */
  marks(): ReadonlyMap<string, string>
  /** Reloads the files. */
  onChange(): Promise<void>
  log: Log
  /** Debounce after a change: an editor writes in several steps. */
  settleMs?: number
  /** Poll interval. Folders that cannot be watched, such as network folders, rely on polling alone. */
  pollMs?: number
  isWatching?: boolean
}

/** Watches at most this many folders and polls the rest: some machines have few watches. */
const maxWatches = 100
const maxRounds = 3

/**
 * Calls `onChange` when any path that was read has changed. Watch events only make detection fast. Every check compares all
 * paths, so replaced files, swapped folders and files that appear are all detected the same way.
 */
export function followFiles(options: FollowOptions): Following {
  const { marks, onChange, log, settleMs = 150, pollMs = 3000, isWatching = true } = options
  let watchers: FSWatcher[] = []
  let settling: NodeJS.Timeout | undefined
  const mutex = createMutex()
  let isClosed = false

  const look = (): Promise<void> =>
    mutex(async () => {
      // Repeat if a file changed during the read, up to a limit.
      for (let round = 0; round < maxRounds && !isClosed && (await hasChanged(marks())); round += 1) {
        await onChange()
        rewatch()
      }
    })
  const lookLater = (): void => {
    clearTimeout(settling)
    settling = setTimeout(lookAndLog, settleMs)
  }
  const lookAndLog = (): void => {
    look().catch((error: unknown) => log.error({ err: error }, 'checking the catalog for changes failed'))
  }
  const rewatch = (): void => {
    for (const watcher of watchers) watcher.close()
    watchers =
      isWatching && !isClosed ? foldersOf(marks()).flatMap((folder) => watchFolder(folder, lookLater) ?? []) : []
  }

  const poll = setInterval(lookAndLog, pollMs)
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

/** A folder to watch and the relevant names in it; undefined for all names. */
type WatchedFolder = { path: string; names: ReadonlySet<string> | undefined }

/** The parent folders of all paths that were read: watching them also reports replaced files. */
function foldersOf(marks: ReadonlyMap<string, string>): WatchedFolder[] {
  const names = new Map<string, Set<string>>()
  for (const path of marks.keys()) {
    const folder = dirname(path)
    names.set(folder, (names.get(folder) ?? new Set()).add(basename(path)))
  }
  // In a folder that was read, every change counts. A parent folder may have unrelated changes.
  const folders = [...names].map(([path, named]) => ({ path, names: marks.has(path) ? undefined : named }))
  return folders.slice(0, maxWatches)
}

/** Undefined if the folder does not exist or the machine has no watches left. */
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
