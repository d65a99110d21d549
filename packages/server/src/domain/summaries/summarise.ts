import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { findPausedQueues } from '../../platform/jobs/pauses.ts'
import { newRunMarker } from '../../platform/process/run-marker.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { recordUsage } from '../costs/cost.ts'
import { statusSummaryChanged } from '../sessions/events.ts'
import type { SessionRow } from '../sessions/session.ts'
import { lockSessionIfThere, selectSession } from '../sessions/session.ts'
import { findProgress, transcriptTail } from '../transcripts/transcript.ts'
import { type AgentAnswer, askAgent } from './ask-agent.ts'
import { claimDueSummary, releaseSummary, type SummaryClaim, storeFailure, storeSummary } from './summary-store.ts'

/** Whoever dies over one three times over would die the fourth time, too. */
const maxAttempts = 3

/** Undefined when none is due, or when one-shot calls of models are halted. */
export async function claimSummary(app: App): Promise<SummaryClaim | undefined> {
  if ((await findPausedQueues(app.db)).has('inference')) return undefined
  const marker = newRunMarker()
  const row = await claimDueSummary(app.db, marker)
  if (!row) return undefined
  const claim = { sessionId: row.session_id, marker }
  if (row.attempts <= maxAttempts) return claim
  await settle(app, claim, { error: `It was begun ${maxAttempts} times and never finished.` })
  return claimSummary(app)
}

/** A start, one call of a model and an end; an agent that takes longer is doing something else. */
const patienceMs = 90_000

/** How much of the end of the conversation is enough to tell where things stand. */
const excerptLength = 24 * 1024

/** Always comes to an end that the row tells of: a text, the reason why there is none, or that it is to be tried again. */
export async function summarise(app: App, claim: SummaryClaim, windDown: AbortSignal): Promise<void> {
  try {
    const session = await selectSession(app.db, { id: claim.sessionId })
    if (!session) return
    const { entry_count: entryCount } = await findProgress(app.db, { sessionId: session.id, thread: mainThread })
    const readable = app.runtimes.find(session.agent_runtime)?.readable
    const prompt = promptFor(await transcriptTail(app.db, session.id, { maxLength: excerptLength, readable }))
    const patience = AbortSignal.timeout(patienceMs)
    const signal = AbortSignal.any([windDown, patience])
    const answer = await askAgent(app, session, { prompt, marker: claim.marker, signal })
    await recordCost(app, session, answer)
    if (windDown.aborted && answer.end.kind !== 'completed') return await releaseSummary(app.db, claim)
    await settle(app, claim, judged(app, answer, entryCount))
  } catch (error) {
    app.log.error({ sessionId: claim.sessionId, err: error }, 'a status summary failed by a fault of ours')
    await settle(app, claim, { error: 'Something went wrong on our side; the server log has the details.' })
  }
}

/** The first word is a command of the demo agent, and a plain request to any other. */
function promptFor(conversation: string): string {
  return [
    'summarize the conversation below for somebody who has not followed it: where the work stands, what is done, what is still open, and what it waits for, if for anything. Answer with one short paragraph of plain text and nothing else. Use no tools, and do not go on with the work.',
    '<conversation>',
    conversation,
    '</conversation>',
  ].join('\n')
}

type Result = { summary: string; entryCount: number } | { error: string }

function judged(app: App, { end, text }: AgentAnswer, entryCount: number): Result {
  if (end.kind === 'failed') return { error: end.detail }
  if (end.kind === 'interrupted') return { error: `The agent was not done after ${patienceMs / 1000} s.` }
  const summary = cut(app.redactor.text(text), maxSummaryLength)
  return summary === '' ? { error: 'The agent gave no answer.' } : { summary, entryCount }
}

/** A paragraph was asked for; of an agent that writes a book its beginning is kept. */
const maxSummaryLength = 4000
const maxErrorLength = 500

async function settle(app: App, claim: SummaryClaim, result: Result): Promise<void> {
  await untilReachable(() =>
    transact(app.db, async (tx) => {
      const isOurs =
        'error' in result
          ? await storeFailure(tx, claim, cut(app.redactor.text(result.error), maxErrorLength))
          : await storeSummary(tx, claim, result)
      if (!isOurs) return
      const state = 'error' in result ? 'failed' : 'ready'
      await app.events.publish(tx, statusSummaryChanged, { sessionId: claim.sessionId, payload: { state } })
    }),
  )
}

/** It is part of what the session costs, apart from what its own agent used. */
async function recordCost(app: App, session: SessionRow, { usages }: AgentAnswer): Promise<void> {
  if (usages.length === 0) return
  const { agent_root_key: root } = session.metadata
  const owner = {
    session_id: session.id,
    agent_root: typeof root === 'string' ? root : null,
    agent_runtime: session.agent_runtime,
    runtime_session_id: null,
  }
  await untilReachable(() =>
    transact(app.db, async (tx) => {
      if (!(await lockSessionIfThere(tx, { id: session.id }))) return
      await recordUsage(
        tx,
        owner,
        usages.map((usage) => ({ ...usage, subagent: true })),
      )
    }),
  )
}

function cut(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, max - 3).join('')}...`
}
