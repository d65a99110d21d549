import type { LostReason } from '@yardmaster/contract/elicitations/fields'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import type { App } from '../app.ts'
import { expire } from './close.ts'
import { type Due, selectOverdue, selectSilent } from './elicitation-store.ts'

/**
 * An MCP server that has not asked for the answer for so long is gone. Servers poll every five seconds by default, and a poll
 * is recorded every thirty.
 */
const silentSeconds = 120

const batch = 100

/** Sweeps follow each other within seconds. A longer pause between two is an outage, in which no poll was recorded either. */
const outageMs = 60_000

/**
 * Ends questions whose time is up, and questions whose asker is gone. An outage of the service is not the asker's silence: after
 * one, askers have the whole time again.
 */
export async function sweep(app: App): Promise<RunResult> {
  const overdue = await closeOverdue(app)
  if (app.questions.reachable.measure(outageMs) < silentSeconds * 1000) return overdue
  const silent = await closeSilent(app)
  return overdue === 'again' ? overdue : silent
}

/** Two hosts may do it at once. */
export async function closeOverdue(app: App): Promise<RunResult> {
  return closeAll(app, await selectOverdue(app.db, batch), 'expired')
}

export async function closeSilent(app: App): Promise<RunResult> {
  return closeAll(app, await selectSilent(app.db, silentSeconds, batch), 'stranded')
}

async function closeAll(app: App, due: readonly Due[], reason: LostReason): Promise<RunResult> {
  for (const { id, session_id: sessionId } of due) await expire(app, id, sessionId, reason)
  return due.length < batch ? 'done' : 'again'
}
