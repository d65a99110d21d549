import { transact } from '../../platform/db/transact.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { createSession, planSession, type SessionPlan } from '../lifecycle/lifecycle.ts'
import { selectSession } from '../sessions/session.ts'
import { hasTranscript, transcriptText } from '../transcripts/transcript.ts'
import { analysisPrompt, excerptOf } from './analysis-prompt.ts'
import { type ItemRow, lockBatchWithRoom, lockItem, selectNextItem, updateItem } from './batch-store.ts'
import { outcomeAnalysesChanged } from './events.ts'
import { endItem } from './settle-item.ts'

/** How analyzer sessions are made. May start a process and read files. */
export async function planAnalyzer(app: App): Promise<SessionPlan> {
  try {
    return await planSession(app, { agent_root: app.outcomes.agentRoot, scheduling_class: 'spot' })
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('cannot_spawn', error.messages)
    throw error
  }
}

/** Starts items of a batch until as many run as may, or none is left. */
export async function fillBatch(app: App, batchId: number): Promise<void> {
  for (;;) {
    const item = await selectNextItem(app.db, batchId)
    if (!item || !(await startItem(app, item))) return
  }
}

/** False if as many items of the batch run as may. */
async function startItem(app: App, item: ItemRow): Promise<boolean> {
  const prepared = await prepare(app, item).catch((error: unknown) => {
    if (error instanceof Refusal) return error
    throw error
  })
  return transact(app.db, async (tx) => {
    if (!(await lockBatchWithRoom(tx, item.batch_id))) return false
    if (!(await lockItem(tx, item.id, 'queued'))) return true
    if (prepared instanceof Refusal) {
      await endItem(app, tx, item.id, { failed: prepared.message })
      return true
    }
    const { session } = await createSession(app, tx, { genesis: 'api' }, prepared)
    await updateItem(tx, item.id, {
      state: 'running',
      analyzer_session_id: session.id,
      started_at: app.clock.now(),
    })
    await app.events.publish(tx, outcomeAnalysesChanged, { payload: {} })
    return true
  })
}

/** Outside any transaction: a transcript may be long. */
async function prepare(app: App, { session_id: id }: ItemRow): Promise<SessionPlan> {
  const session = await selectSession(app.db, { id })
  if (!session) return refuse('unanalyzable_session', 'The session was deleted')
  if (session.status !== 'archived') refuse('unanalyzable_session', 'The session was unarchived')
  if (!(await hasTranscript(app.db, id))) refuse('unanalyzable_session', 'The session has no transcript')
  const readable = app.runtimes.find(session.agent_runtime)?.readable
  const prompt = analysisPrompt(await excerptOf(transcriptText(app.db, id, readable)))
  const { request, resolved } = await planAnalyzer(app)
  return {
    request: { ...request, custom_metadata: { spawned_by: 'outcome-analysis', analyzed_session_id: id } },
    resolved: { ...resolved, title: `Analyse the outcome of session ${id}`, prompt },
  }
}
