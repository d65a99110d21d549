import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { PullRequest } from '../../platform/forge/forge.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { poll } from '../../platform/pollers/poll.ts'
import { pollEach } from '../../platform/pollers/poll-each.ts'
import { RemoteFailed, unlessRefused } from '../../platform/remote-failed.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { lockSessionIfThere, readMetadata, recordPullRequests, type SessionRow } from '../sessions/session.ts'
import { findInMetadata } from './find-pull-requests.ts'
import { confirmNotice, tellConflict, tellMerge, withdrawNotice } from './notices.ts'
import {
  deletePullRequest,
  type FollowedPullRequest,
  type PullRequestName,
  postponeCheck,
  selectDue,
  selectFollowers,
  selectOfSession,
  updatePullRequest,
} from './pull-request-store.ts'

const checksAtOnce = 50
/** A pull request is asked about after a tenth of the time since it changed, within these limits. */
const intervalSeconds = { min: 60, max: 1800 }
/** The forge computes in the background whether a pull request can be merged. */
const uncomputedSeconds = 15
const postponedSeconds = 300

/** Asks the forge about the pull requests that are due, each once however many sessions follow it. */
export async function checkPullRequests(app: App, signal: AbortSignal): Promise<RunResult> {
  if (!app.forge.client) return 'done'
  await findInMetadata(app)
  const due = await selectDue(app.db, checksAtOnce)
  if (due.length === 0) return 'done'
  return poll(app, 'pull_requests', async () => {
    await pollEach(due, (name) => checkOrPostpone(app, name), { signal })
  })
}

/** One that the forge cannot show now is asked about later, so that it is not the first in line again. */
async function checkOrPostpone(app: App, name: PullRequestName): Promise<void> {
  try {
    await checkPullRequest(app, name)
  } catch (error) {
    if (error instanceof RemoteFailed && error.kind !== 'throttled') await postponeCheck(app.db, name, postponedSeconds)
    throw error
  }
}

/** Asks the forge about a pull request that sessions follow, and tells each of them what has changed. */
export async function checkPullRequest(app: App, name: PullRequestName): Promise<void> {
  const followers = await selectFollowers(app.db, name)
  if (followers.length === 0) return
  const shown = await ask(app, name)
  for (const sessionId of followers) {
    await transact(app.db, async (tx) => {
      const session = await lockSessionIfThere(tx, { id: sessionId })
      const all = session ? await selectOfSession(tx, sessionId) : []
      const known = all.find(({ repo, number }) => repo === name.repo && number === name.number)
      if (!session || !known) return
      await compare(app, tx, session, known, shown)
      await show(tx, session)
    })
  }
}

/** Undefined for one that does not exist; `refused` for one that our token may not see now. */
async function ask({ forge: { client } }: App, { repo, number }: PullRequestName): Promise<Answer> {
  return client && unlessRefused<Answer>(client.pullRequest(repo, number), 'refused')
}

type Answer = PullRequest | 'refused' | undefined

async function compare(
  app: App,
  tx: Transaction,
  session: SessionRow,
  known: FollowedPullRequest,
  shown: Answer,
): Promise<void> {
  if (shown === 'refused')
    return updatePullRequest(tx, known, { isChanged: false, checkAfterSeconds: intervalSeconds.max })
  if (!shown || !isOfSession(session, known, shown)) return deletePullRequest(tx, known)
  if (known.state === null) await note(app, tx, session.id, `Pull request ${known.url} is followed.`)
  const { state, hasConflict = known.has_conflict } = shown
  const isConflicting = state === 'open' && hasConflict
  const isChanged = state !== known.state || isConflicting !== known.has_conflict
  const isUncomputed = state === 'open' && shown.hasConflict === undefined
  const changes = {
    state,
    has_conflict: isConflicting,
    isChanged,
    checkAfterSeconds: isUncomputed ? uncomputedSeconds : nextCheckSeconds(known, isChanged, app.clock.now()),
  }
  const isMergedNow = state === 'merged' && known.state !== 'merged'
  if (isMergedNow) await tellMerge(app, tx, session, known)
  if (isUncomputed) return updatePullRequest(tx, known, changes)
  const message = await conflictMessage(app, tx, session, known, isConflicting)
  await updatePullRequest(tx, known, { ...changes, conflict_message_id: message })
}

/** A pull request from before the session is one that its agent only read about, unless the caller named it. */
function isOfSession(
  { created_at }: SessionRow,
  { found_in }: FollowedPullRequest,
  { createdAt }: PullRequest,
): boolean {
  return found_in === 'custom_metadata' || createdAt.getTime() >= Math.floor(created_at.getTime() / 1000) * 1000
}

function nextCheckSeconds({ changed_at }: FollowedPullRequest, isChanged: boolean, now: Date): number {
  const quietSeconds = isChanged ? 0 : (now.getTime() - changed_at.getTime()) / 1000
  return Math.min(intervalSeconds.max, Math.max(intervalSeconds.min, quietSeconds / 10))
}

/** The id of the message about the conflict, as long as there is one. */
async function conflictMessage(
  app: App,
  tx: Transaction,
  session: SessionRow,
  known: FollowedPullRequest,
  isConflicting: boolean,
): Promise<number | null> {
  if (isConflicting && !known.has_conflict) return tellConflict(app, tx, session, known)
  if (isConflicting) await confirmNotice(tx, session, known)
  else await withdrawNotice(app, tx, session, known)
  return isConflicting ? known.conflict_message_id : null
}

/** Writes the list to the session only when it has changed: a check that finds nothing new leaves the session alone. */
async function show(tx: Transaction, session: SessionRow): Promise<void> {
  const list = (await selectOfSession(tx, session.id)).map(presentPullRequest)
  const { pull_requests: shown = [] } = readMetadata(session)
  if (JSON.stringify(list) !== JSON.stringify(shown)) await recordPullRequests(tx, session.id, list)
}

function presentPullRequest({ url, state, has_conflict }: FollowedPullRequest) {
  return { url, state: state ?? 'unknown', has_conflict }
}
