import type { ElicitationAnswer, ElicitationPoll } from '@yardmaster/contract/elicitations/fields'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findInTree } from '../hierarchy/hierarchy.ts'
import { note } from '../logs/log.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import { problemsWith } from './check-answer.ts'
import { close } from './close.ts'
import { selectById } from './elicitation-store.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { findElicitation } from './find.ts'
import { presentPoll } from './present.ts'
import { readContent } from './read-content.ts'
import { summaryOf } from './summary.ts'

type Request = {
  /** Read after the question is found and found pending: a caller with several mistakes learns the first. */
  answer(): ElicitationAnswer
  /** The session whose agent answers. Undefined for a person. */
  agentOf: number | undefined
}

/** Records a person's answer. The first of several is heard; the others are refused. */
export async function respond(app: App, named: string, { answer, agentOf }: Request): Promise<ElicitationPoll> {
  const found = await findElicitation(app, named)
  if (agentOf !== undefined) await refuseUnlessSenior(app, agentOf, found)
  if (found.status !== 'pending') refuseResolved(found)
  const { action_type: action, content: sent } = answer()
  const content = action === 'accept' ? readContent(sent) : null
  const problems = action === 'accept' ? problemsWith(content, found.requested_schema) : []
  if (problems.length > 0) refuse('validation_failed', problems)
  return transact(app.db, async (tx) => {
    const session = (await lockSessionIfThere(tx, { id: found.session_id })) ?? refuseMissing()
    const closing = { status: action, content }
    const row = await close(app, tx, session, { id: found.id, closing })
    if (!row) return refuseResolved((await selectById(tx, found.id)) ?? refuseMissing())
    await note(app, tx, session.id, `${outcomes[action]}: ${summaryOf(row)}`)
    return presentPoll(row)
  })
}

const outcomes = { accept: 'Answered', decline: 'Declined', cancel: 'Dismissed' } as const

function refuseResolved({ status }: Pick<ElicitationRow, 'status'>): never {
  refuse('unprocessable', `Elicitation has already been resolved (status: ${status})`)
}

/**
 * An agent answers for the sessions that it started, never for itself: a question is meant for someone else. What an agent asks
 * by itself is what people decide on a root with `permissions: "ask"`, and no agent answers that.
 */
async function refuseUnlessSenior(app: App, agentOf: number, found: ElicitationRow): Promise<void> {
  const { session_id: id, asked_by: asker } = found
  if (id === agentOf) refuse('own_elicitation', 'A session cannot answer its own question; a person has to')
  if ((await findInTree(app.db, agentOf, { id })) === undefined) refuseMissing()
  if (asker === 'agent') refuse('own_elicitation', 'The agent asks for a permission; only a person can give it')
}
