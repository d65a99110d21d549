import type { Forge } from '../../platform/forge/forge.ts'
import type { ForgeItem } from '../../platform/forge/item.ts'
import { type App, handleJob } from '../app.ts'
import { noteChange } from '../pull-requests/pull-request.ts'
import { findConditions } from '../triggers/trigger.ts'
import { fireIssue } from './fire-issue.ts'
import { fireLabel } from './fire-label.ts'
import { includesName } from './forge-item.ts'
import { receiveForgeEventJob } from './receive-forge-event-job.ts'

/** May run twice: what has fired a trigger does not fire it again. What it leaves undecided the next poll decides. */
export const receiveForgeEvent = handleJob(receiveForgeEventJob, async ({ what, item, label }, app) => {
  const { client } = app.forge
  if (!client) return
  if (item.kind === 'pull_request') await noteChange(app, item)
  if (what === 'opened' && item.kind === 'issue') await fireIssues(app, item)
  if (what === 'labelled' && label !== undefined) await fireLabels(app, client, item, [label])
  // Labels that an item was opened with, or still has when it is reopened, count as added.
  if (what === 'opened' || what === 'reopened') await fireLabels(app, client, item, item.labels)
})

async function fireIssues(app: App, item: ForgeItem): Promise<void> {
  for (const condition of await findConditions(app.db, ['forge_issue'])) {
    const isWatched = includesName(condition.configuration.repos, item.repo)
    if (isWatched && isSince(item.createdAt, condition.armed_at)) await fireIssue(app, condition, item)
  }
}

async function fireLabels(app: App, forge: Forge, item: ForgeItem, labels: readonly string[]): Promise<void> {
  if (!item.isOpen) return
  for (const condition of await findConditions(app.db, ['forge_label'])) {
    const { repos, labels: watched, target } = condition.configuration
    if (target !== item.kind || !includesName(repos, item.repo) || !isSince(item.updatedAt, condition.armed_at))
      continue
    for (const label of labels.filter((each) => includesName(watched, each)))
      await fireLabel(app, forge, condition, { item, label })
  }
}

/** Times of the forge have no fractions. */
export function isSince(time: Date, start: Date): boolean {
  return Math.floor(time.getTime() / 1000) >= Math.floor(start.getTime() / 1000)
}
