import { pino } from 'pino'
import { type Log, openLog } from '../../../src/platform/log/log.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was logged
export type LogRecord = Record<string, any>

/** A log that keeps its lines, so that a test can read them line by line, as a log collector does. */
export function recordedLog(level = 'debug'): { log: Log; lines(): string[]; records(): LogRecord[] } {
  const chunks: string[] = []
  const log = openLog({ level, destination: { write: (chunk: string) => void chunks.push(chunk) } })
  const lines = (): string[] =>
    chunks
      .join('')
      .split('\n')
      .filter((line) => line !== '')
  return { log, lines, records: () => lines().map(parse) }
}

/** With the level as a number, so that a test can ask for `warn` and above. */
function parse(line: string): LogRecord {
  const record: LogRecord = JSON.parse(line)
  return { ...record, level: pino.levels.values[record.level] }
}
