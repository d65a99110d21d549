import { errnoOf } from '../../process/errno.ts'
import { StartupError } from '../../startup-error.ts'

/** The wording of PostgreSQL and the C library. */
const diskFull = /No space left on device|Disk quota exceeded/

/** The last processes of the old server hold its shared memory until they notice its death. */
const heldByOldServer = /pre-existing shared memory block|lock file ".*" already exists/

export function isHeldByOldServer(output: string): boolean {
  return heldByOldServer.test(output)
}

/** The error for a failure of PostgreSQL, with its output. */
export function failureSentence(
  what: string,
  output: string,
  about: { folder: string; logFile?: string },
): StartupError {
  if (diskFull.test(output)) return diskFullSentence(about.folder)
  const said = lastLines(output)
  const parts = [
    what,
    said === '' ? 'PostgreSQL printed nothing.' : `PostgreSQL's last output:\n${said}`,
    about.logFile === undefined ? undefined : `Its log is ${about.logFile}`,
  ]
  return new StartupError(parts.filter((part) => part !== undefined).join('\n'))
}

/** For our own writes to the folder of the database. */
export async function explainDiskFull<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT') throw diskFullSentence(folder)
    throw error
  }
}

export function diskFullSentence(folder: string): StartupError {
  return new StartupError(
    `The disk that holds ${folder} is full, and the embedded PostgreSQL needs room there. Free some space and start again.`,
  )
}

/** Enough for the cause and the hint after it, and short enough for a terminal. */
const shownLines = 6

export function lastLines(output: string, count = shownLines): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return lines
    .slice(-count)
    .map((line) => `  ${line.trim()}`)
    .join('\n')
}
