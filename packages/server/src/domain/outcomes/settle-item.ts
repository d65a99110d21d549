import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { Refusal } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { deliverPrompt } from '../conversation/conversation.ts'
import { findStanding } from '../inbox/inbox.ts'
import { archiveLocked } from '../lifecycle/lifecycle.ts'
import { lockSessionIfThere, readMetadata, type SessionRow } from '../sessions/session.ts'
import { lastAssistantText } from '../transcripts/transcript.ts'
import { correctionPrompt } from './analysis-prompt.ts'
import { type ItemRow, lockItem, selectAnalyzer, updateItem } from './batch-store.ts'
import { outcomeAnalysesChanged } from './events.ts'
import { saveIn } from './outcome.ts'
import { readAnswer } from './read-answer.ts'

const maxCorrections = 2

/**
 * Saves what the analyzer of a running item answered, asks it to mend the answer, or ends the item. The analyzer is locked
 * before the item: its deletion takes the locks in that order.
 */
export async function settleItem(app: App, id: number): Promise<void> {
  const analyzerId = await selectAnalyzer(app.db, id)
  await transact(app.db, async (tx) => {
    const analyzer = analyzerId === null ? undefined : await lockSessionIfThere(tx, { id: analyzerId })
    const item = await lockItem(tx, id, 'running')
    if (!item) return
    if (!analyzer) return endItem(app, tx, id, { failed: 'The analyzer session was deleted' })
    const { status } = analyzer
    if (status === 'archived') return endItem(app, tx, id, { failed: 'The analyzer session was archived' })
    const { failure_reason: reason } = readMetadata(analyzer)
    if (status === 'failed')
      return endItem(app, tx, id, { failed: `The analyzer session failed${reason ? ` (${reason})` : ''}` })
    if (await hasAnswered(tx, analyzer)) await takeAnswer(app, tx, item, analyzer)
  })
}

/** An analyzer that waits for a person, for a budget or for its next turn has not. */
async function hasAnswered(tx: Transaction, session: SessionRow): Promise<boolean> {
  const { blocked_on_elicitation, paused_by, stopped_by_budget } = readMetadata(session)
  if (session.status !== 'needs_input' || blocked_on_elicitation || paused_by || stopped_by_budget) return false
  const { underway, hasQueued, isStopping } = await findStanding(tx, session.id)
  return !underway && !hasQueued && !isStopping
}

async function takeAnswer(app: App, tx: Transaction, item: ItemRow, analyzer: SessionRow): Promise<void> {
  const problems = await save(app, tx, item, analyzer)
  if (problems === undefined) {
    await endItem(app, tx, item.id, 'saved')
    await archiveLocked(app, tx, analyzer, { force: true })
  } else if ('mendable' in problems && item.corrections < maxCorrections) {
    await updateItem(tx, item.id, { corrections: item.corrections + 1 })
    const prompt = correctionPrompt(problems.mendable)
    await deliverPrompt(app, tx, { id: analyzer.id }, { prompt, goal: null, isImmediate: false, source: 'follow_up' })
  } else {
    await endItem(app, tx, item.id, { failed: Object.values(problems).flat().join('; ') })
  }
}

type Problems = { mendable: readonly string[] } | { final: readonly string[] }

/** Nothing is written if the answer is refused. */
async function save(app: App, tx: Transaction, item: ItemRow, analyzer: SessionRow): Promise<Problems | undefined> {
  const answer = readAnswer(await lastAssistantText(tx, analyzer.id))
  if (!answer) return { mendable: ['The answer holds no JSON object'] }
  try {
    await saveIn(app, tx, { session_id: item.session_id, ...answer }, analyzer.id)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.kind === 'invalid_segment_tree' ? { mendable: error.messages } : { final: error.messages }
  }
}

const maxReasonLength = 2000

export async function endItem(app: App, tx: Transaction, id: number, end: 'saved' | { failed: string }): Promise<void> {
  await updateItem(tx, id, {
    ...(end === 'saved' ? { state: end } : { state: 'failed', reason: truncate(end.failed, maxReasonLength) }),
    ended_at: app.clock.now(),
  })
  await app.events.publish(tx, outcomeAnalysesChanged, { payload: {} })
}
