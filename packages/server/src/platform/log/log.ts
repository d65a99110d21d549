import { type Logger, pino } from 'pino'

export type Log = Logger

/** One JSON object a line on standard error, so that standard output stays free for what a person asked to see. */
export function openLog(options: { level: string }): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A failed Redis command carries its arguments: cached values, and the password when it was the greeting.
      redact: {
        paths: ['*.password', '*.connectionString', 'req.headers', 'err.command.args'],
        censor: '[REDACTED]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}
