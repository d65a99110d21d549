import type { RunResult } from '../../platform/jobs/periodic.ts'
import type { App } from '../app.ts'
import { expire } from './close.ts'
import { selectById, selectDue } from './elicitation-store.ts'

/**
 * An MCP server that has not asked for the answer for so long is gone. Servers poll every five seconds by default, and a poll
 * is recorded every thirty.
 */
const silentSeconds = 120

const batch = 100

/** Ends questions whose time is up and questions whose asker is gone. Two hosts may do it at once. */
export async function closeOverdue(app: App): Promise<RunResult> {
  const due = await selectDue(app.db, silentSeconds, batch)
  for (const { id, reason } of due) {
    const row = await selectById(app.db, id)
    if (row) await expire(app, id, row.session_id, reason)
  }
  return due.length < batch ? 'done' : 'again'
}
