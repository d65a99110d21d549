import type { Liveness } from '@yardmaster/contract/backlog/vocabulary'
import { transact } from '../../platform/db/transact.ts'
import type { Forge } from '../../platform/forge/forge.ts'
import { isRepoName } from '../../platform/forge/item.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { poll } from '../../platform/pollers/poll.ts'
import { pollEach } from '../../platform/pollers/poll-each.ts'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import type { App } from '../app.ts'
import { backlogChanged } from './events.ts'
import { type DueItem, postponeCheck, selectDue, updateLiveness } from './liveness-store.ts'

const checksAtOnce = 50
const postponedSeconds = 900

/** Asks the forge whether the issues of queued items are still open. What it says is shown; nothing is removed by it. */
export async function checkIssues(app: App, signal: AbortSignal): Promise<RunResult> {
  const { client } = app.forge
  if (!client) return 'done'
  const due = await selectDue(app.db, checksAtOnce)
  if (due.length === 0) return 'done'
  return poll(app, 'backlog_issues', async () => {
    await pollEach(due, (item) => checkOrPostpone(app, client, item), { signal })
  })
}

/** An issue that the forge cannot show now is asked about later, so that it is not the first in line again. */
async function checkOrPostpone(app: App, forge: Forge, item: DueItem): Promise<void> {
  try {
    const liveness = await livenessOf(forge, item)
    await transact(app.db, async (tx) => {
      const isChanged = await updateLiveness(tx, item, liveness)
      if (isChanged) await app.events.publish(tx, backlogChanged, { payload: {} })
    })
  } catch (error) {
    if (error instanceof RemoteFailed && error.kind !== 'throttled')
      await postponeCheck(app.db, item.id, postponedSeconds)
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
