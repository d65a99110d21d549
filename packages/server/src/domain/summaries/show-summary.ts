import type { StatusSummary } from '@yardmaster/contract/sessions/fields'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { findProgress } from '../transcripts/transcript.ts'
import { abandonedAfterMinutes, selectSummary } from './summary-store.ts'

/** Null when no summary was ever requested. Reading never requests one. */
export async function showSummary(app: App, sessionId: number): Promise<StatusSummary | null> {
  const row = await selectSummary(app.db, sessionId)
  if (!row) return null
  const { summary, state, error, requested_at, entry_count } = row
  const { entry_count: entriesNow } = await findProgress(app.db, { sessionId, thread: mainThread })
  const ageMs = app.clock.now().getTime() - requested_at.getTime()
  return {
    summary,
    messages_since_generated: entry_count === null ? null : Math.max(0, entriesNow - entry_count),
    state,
    generating: state === 'pending' && ageMs < abandonedAfterMinutes * 60_000,
    error,
  }
}
