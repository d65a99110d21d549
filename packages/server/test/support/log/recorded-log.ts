import { pino } from 'pino'
import type { Log } from '../../../src/platform/log/log.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was logged
export type LogRecord = Record<string, any>

/** A log that keeps its lines, so that a test can read them line by line, as a log collector does. */
export function recordedLog(level = 'debug'): { log: Log; lines(): string[]; records(): LogRecord[] } {
  const chunks: string[] = []
  const log = pino({ level, base: null }, { write: (chunk: string) => void chunks.push(chunk) })
  const lines = (): string[] =>
    chunks
      .join('')
      .split('\n')
      .filter((line) => line !== '')
  return { log, lines, records: () => lines().map((line) => JSON.parse(line)) }
}
