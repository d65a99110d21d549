import type { Liveness } from '@yardmaster/contract/backlog/vocabulary'
import { transact } from '../../platform/db/transact.ts'
import type { Forge } from '../../platform/forge/forge.ts'
import { isRepoName } from '../../platform/forge/item.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { poll } from '../../platform/pollers/poll.ts'
import { pollEach } from '../../platform/pollers/poll-each.ts'
import { refuse } from '../../platform/refusal.ts'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import type { App } from '../app.ts'
import { checkIssuesJob } from './check-issues-job.ts'
import { backlogChanged } from './events.ts'
import {
  claimDue,
  type DueItem,
  lockAsking,
  postponeCheck,
  releaseClaims,
  updateDue,
  updateLiveness,
} from './liveness-store.ts'

const checksAtOnce = 50
const postponedSeconds = 900
/** Shorter than the minute in which a request leaves claimed items alone. */
const runMs = 45_000
/** A person looks at the top of the queue; the forge limits requests by the hour. */
const mostAsked = 200

/** Asks the forge whether the issues of queued items are still open. What it says is shown; nothing is removed by it. */
export async function checkIssues(app: App, signal: AbortSignal): Promise<RunResult> {
  const { client } = app.forge
  if (!client) return 'done'
  return poll(app, 'backlog_issues', async () => {
    const claimed = await claimDue(app.db, checksAtOnce)
    const left = new Set(claimed)
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(runMs)])
    try {
      await pollEach(claimed, (item) => checkOrPostpone(app, { forge: client, left }, item), { signal: inTime })
    } finally {
      await releaseClaims(app.db, [...left])
    }
  })
}

/** Has the forge asked now about the issues of the first items that it was not just asked about. Answers how many there are. */
export async function askAboutIssues(app: App): Promise<number> {
  if (!app.forge.client) refuse('forge_unconfigured', 'Forge is not configured')
  return transact(app.db, async (tx) => {
    await lockAsking(tx)
    const due = await updateDue(tx, mostAsked)
    if (due > 0) await enqueue(tx, checkIssuesJob, {}, { key: checkIssuesJob.name })
    return due
  })
}

/** `left`: the claimed items that were not asked about yet. */
type Run = { forge: Forge; left: Set<DueItem> }

/** An issue that the forge cannot show now is asked about later, so that it is not the first in line again. */
async function checkOrPostpone(app: App, { forge, left }: Run, item: DueItem): Promise<void> {
  try {
    const liveness = await livenessOf(forge, item)
    await transact(app.db, async (tx) => {
      const isChanged = await updateLiveness(tx, item, liveness)
      if (isChanged) await app.events.publish(tx, backlogChanged, { payload: {} })
    })
    left.delete(item)
  } catch (error) {
    if (error instanceof RemoteFailed && error.kind !== 'throttled') {
      await postponeCheck(app.db, item.id, postponedSeconds)
      left.delete(item)
    }
    throw error
  }
}

async function livenessOf(forge: Forge, { issue_url: url }: DueItem): Promise<Liveness> {
  const issue = issueIn(url, forge.webUrl)
  if (!issue) return 'unknown'
  const state = await forge.issueState(issue.repo, issue.number)
  return state ?? 'missing'
}

/** Undefined for an address that names no issue of this forge. */
export function issueIn(url: string, webUrl: string): { repo: string; number: number } | undefined {
  if (!URL.canParse(url) || new URL(url).host !== new URL(webUrl).host) return undefined
  const [, repo = '', digits = ''] = /^\/([^/]+\/[^/]+)\/issues\/(\d{1,9})\/?$/.exec(new URL(url).pathname) ?? []
  return isRepoName(repo) ? { repo, number: Number(digits) } : undefined
}
