import type { Generated } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'

export type LogLevel = 'info' | 'error' | 'debug' | 'warning' | 'verbose'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    session_logs: {
      id: Generated<number>
      session_id: number
      level: LogLevel
      content: string
      created_at: Generated<Date>
      updated_at: Generated<Date>
    }
  }
}

export async function insertLog(
  tx: Transaction,
  row: { session_id: number; level: LogLevel; content: string },
): Promise<void> {
  await tx.insertInto('session_logs').values(row).execute()
}
