import type { Transaction } from '../../platform/db/database.ts'
import { automatedMessage } from '../../runtimes/automated-message.ts'
import type { App } from '../app.ts'
import {
  appendToQueue,
  confirmMessage,
  findMessage,
  isAtRest,
  type MessageOrigin,
  retireMessage,
  scheduleDrain,
} from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import type { SessionRow } from '../sessions/session.ts'
import type { FollowedPullRequest } from './pull-request-store.ts'

/** The words are ours: the title of a pull request is text from outside. */
const texts = {
  automated_pr_merged: (url: string) => `The pull request ${url} was merged.`,
  automated_merge_conflict: (url: string) =>
    `The pull request ${url} has conflicts with its base branch. Resolve them and push the result.`,
} as const satisfies Partial<Record<MessageOrigin, (url: string) => string>>

export async function tellMerge(app: App, tx: Transaction, session: SessionRow, { url }: FollowedPullRequest) {
  await queueNotice(app, tx, session, 'automated_pr_merged', url)
}

/** Returns the id of the message. */
export function tellConflict(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { url }: FollowedPullRequest,
): Promise<number | null> {
  return queueNotice(app, tx, session, 'automated_merge_conflict', url)
}

/** An archived session is told nothing. A failed one keeps the notice until it is restarted. */
async function queueNotice(
  app: App,
  tx: Transaction,
  session: SessionRow,
  origin: keyof typeof texts,
  url: string,
): Promise<number | null> {
  if (session.status === 'archived') return null
  const content = automatedMessage(texts[origin](url))
  const [message] = await appendToQueue(app, tx, session, [{ content, goal: null, origin }])
  if (await isAtRest(tx, session)) await scheduleDrain(tx, session)
  return message?.id ?? null
}

/** Retires a notice that has become untrue before it was delivered. */
export async function withdrawNotice(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { url, conflict_message_id: id }: FollowedPullRequest,
): Promise<void> {
  const message = id === null ? undefined : await findMessage(tx, session.id, id)
  if (message?.status !== 'pending') return
  await retireMessage(tx, message)
  await note(app, tx, session.id, `The conflict of ${url} is resolved; the message about it is not delivered.`)
}

/** The notice was checked and is true: it may be delivered now. */
export async function confirmNotice(
  tx: Transaction,
  session: SessionRow,
  { conflict_message_id: id }: FollowedPullRequest,
): Promise<void> {
  const message = id === null ? undefined : await findMessage(tx, session.id, id)
  if (message?.status !== 'pending') return
  await confirmMessage(tx, message.id)
  if (await isAtRest(tx, session)) await scheduleDrain(tx, session)
}
