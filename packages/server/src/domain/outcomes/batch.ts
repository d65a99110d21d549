import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { AnalysisBatch, NewBatch } from '@yardmaster/contract/outcomes/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { selectSession } from '../sessions/session.ts'
import { hasTranscript } from '../transcripts/transcript.ts'
import {
  type BatchRow,
  type ItemRow,
  insertBatch,
  insertItems,
  selectAnalyzable,
  selectBatch,
  selectItems,
} from './batch-store.ts'
import { outcomeAnalysesChanged } from './events.ts'
import { refuseUnanalyzable } from './outcome.ts'
import { planAnalyzer } from './start-item.ts'

/** Which sessions belong to the batch is decided here. A task of the room starts them. */
export async function analyze(
  app: App,
  { session_ids: refs, concurrency, ...filters }: NewBatch,
): Promise<AnalysisBatch> {
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  if ((refs === undefined) === !isFiltered)
    refuse('validation_failed', 'Session ids or filters must be given, and not both')
  await planAnalyzer(app)
  const ids = refs ? await findNamed(app, refs) : await selectAnalyzable(app.db, filters)
  if (ids.length === 0) refuse('unanalyzable_session', 'No archived session without an analysis matches the filters')
  return transact(app.db, async (tx) => {
    const batch = await insertBatch(tx, { concurrency, created_at: app.clock.now() })
    const items = await insertItems(tx, batch.id, ids)
    const inserted = new Set(items.map(({ session_id }) => session_id))
    const busy = ids.filter((id) => !inserted.has(id))
    if (items.length === 0 || (refs && busy.length > 0))
      refuse(
        'unanalyzable_session',
        busy.map((id) => `Session ${id} is being analysed`),
      )
    await app.events.publish(tx, outcomeAnalysesChanged, { payload: {} })
    return present(batch, items)
  })
}

async function findNamed(app: App, refs: readonly SessionRef[]): Promise<number[]> {
  const ids = new Set<number>()
  for (const ref of refs) {
    const session = await selectSession(app.db, ref)
    if (!session) return refuse('not_found', `No session matches ${'id' in ref ? ref.id : ref.slug.slice(0, 300)}`)
    await refuseUnanalyzable(app.db, session)
    if (!(await hasTranscript(app.db, session.id)))
      refuse('unanalyzable_session', `Session ${session.id} has no transcript`)
    ids.add(session.id)
  }
  return [...ids]
}

export async function showBatch(app: App, id: number): Promise<AnalysisBatch> {
  const batch = (await selectBatch(app.db, id)) ?? refuseMissing()
  return present(batch, await selectItems(app.db, id))
}

function present(batch: BatchRow, items: readonly ItemRow[]): AnalysisBatch {
  const counts = { queued: 0, running: 0, saved: 0, failed: 0, cancelled: 0 }
  for (const { state } of items) counts[state] += 1
  return {
    ...batch,
    created_at: formatTimestamp(batch.created_at),
    counts,
    items: items.map(({ session_id, state, reason, analyzer_session_id, started_at, ended_at }) => ({
      session_id,
      state,
      reason,
      analyzer_session_id,
      started_at: started_at && formatTimestamp(started_at),
      ended_at: ended_at && formatTimestamp(ended_at),
    })),
  }
}
