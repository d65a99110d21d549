import { type Logger, pino } from 'pino'

export type Log = Logger

/** Writes one JSON object per line to standard error. Standard output is for command output. */
export function openLog(options: { level: string }): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A failed Redis command holds its arguments: cached values, and the password if it was AUTH.
      redact: {
        paths: ['*.password', '*.connectionString', 'req.headers', 'err.command.args'],
        censor: '[REDACTED]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}
