import { type DestinationStream, type Logger, pino } from 'pino'
import { workUnderway } from './work-context.ts'

export type Log = Logger

/** Writes one JSON object per line to standard error. Standard output is for command output. */
export function openLog(options: { level: string; destination?: DestinationStream }): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A copy: pino adds the fields of the line to it, which therefore win.
      mixin: () => ({ ...workUnderway() }),
      // A failed Redis command holds its arguments: cached values, and the password if it was AUTH.
      redact: {
        paths: ['*.password', '*.connectionString', 'req.headers', 'err.command.args'],
        censor: '[REDACTED]',
      },
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  )
}
