import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { insertLog, type LogLevel } from './log-store.ts'

/** The face of the room: a session's own log, written for the people who look after it. */
export async function note(
  app: App,
  tx: Transaction,
  sessionId: number,
  content: string,
  level: LogLevel = 'info',
): Promise<void> {
  await insertLog(tx, { session_id: sessionId, level, content: app.redactor.text(content) })
}
