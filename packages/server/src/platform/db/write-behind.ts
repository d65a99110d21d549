import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'

/** Rows that are written a moment later, many at once, so that no request waits for them. */
export type WriteBehind<Row> = {
  /** Returns at once. */
  add(row: Row): void
  /** Writes what is waiting. Call it when nothing is added any more. */
  close(): Promise<void>
}

const gatherMs = 200
const batchRows = 500
const retryMs = 1000
/** Of an outage of the database. Beyond it the oldest are dropped, and the log says how many. */
const mostWaiting = 20_000
/** A stop waits no longer for a database that is away. */
const closeAttempts = 3

type Options<Row> = {
  /** What the rows are, in the log. */
  what: string
  log: Log
  /** A batch whose outcome is unknown is written again: the second write must be harmless. */
  write(rows: readonly Row[]): Promise<void>
}

/** An orderly stop writes all rows. A crash loses those of the last moment. */
export function writeBehind<Row>({ what, log, write }: Options<Row>): WriteBehind<Row> {
  const waiting: Row[] = []
  const closing = new AbortController()
  const failureLevel = retryLevel()
  let dropped = 0
  let writing: Promise<void> | undefined

  const writeSome = async (): Promise<boolean> => {
    const some = waiting.slice(0, batchRows)
    try {
      await write(some)
      waiting.splice(0, some.length)
      failureLevel.reset()
      return true
    } catch (error) {
      log[failureLevel.of(error)]({ err: error, waiting: waiting.length }, `${what} could not be written`)
      return false
    }
  }
  const pause = (ms: number) => wait(ms, undefined, { signal: closing.signal }).catch(() => undefined)
  const writeAll = async (): Promise<void> => {
    await pause(gatherMs)
    while (waiting.length > 0 && !closing.signal.aborted) if (!(await writeSome())) await pause(retryMs)
    writing = undefined
  }
  /** Behind the batch that may be underway, which is removed from the front by its length. */
  const dropOldest = (): void => {
    if (waiting.length <= mostWaiting) return
    waiting.splice(batchRows, 1)
    dropped += 1
    if (dropped % 1000 === 1) log.error({ dropped }, `${what} are dropped: the database takes none`)
  }

  return {
    add: (row) => {
      waiting.push(row)
      dropOldest()
      if (!closing.signal.aborted) writing ??= writeAll()
    },
    close: async () => {
      closing.abort()
      await writing
      for (let failures = 0; waiting.length > 0 && failures < closeAttempts; ) if (!(await writeSome())) failures += 1
      if (waiting.length > 0) log.error({ lost: waiting.length }, `${what} are lost`)
    },
  }
}
