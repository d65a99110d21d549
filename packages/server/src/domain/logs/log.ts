import type { LogLevel } from '@yardmaster/contract/logs/fields'
import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { insertLog, type LogLine } from './log-store.ts'

/** The face of the room: a session's log, which its users read. */
export {
  deleteLog,
  findLog,
  findLogPage,
  type LogLine,
  updateLog,
} from './log-store.ts'

/** A line of the service's own, which is short: it is redacted inside the transaction. */
export async function note(
  app: App,
  tx: Transaction,
  sessionId: number,
  content: string,
  level: LogLevel = 'info',
): Promise<void> {
  await insertLog(tx, { session_id: sessionId, level, content: app.redactor.excerpt(content), origin: 'service' })
}

/** A line that callers may change and delete. Its content is redacted before the transaction: it may be long. */
export function noteForCaller(
  tx: Transaction,
  line: Pick<LogLine, 'session_id' | 'level' | 'content'>,
): Promise<LogLine> {
  return insertLog(tx, { ...line, origin: 'caller' })
}
