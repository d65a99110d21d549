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
  if (what === 'opened' && item.kind === 'issue') await fireIssues(app, item)
  if (what === 'labelled' && label !== undefined) await fireLabels(app, client, item, [label])
  // Labels that an item was opened with, or still has when it is reopened, count as added.
  if (what === 'opened' || what === 'reopened') await fireLabels(app, client, item, item.labels)
  if (item.kind === 'pull_request') await noteChange(app, item)
})

async function fireIssues(app: App, item: ForgeItem): Promise<void> {
  for (const condition of await findConditions(app.db, ['forge_issue'])) {
    const isWatched = includesName(condition.configuration.repos, item.repo)
    if (isWatched && isSince(item.createdAt, condition.armed_at)) await fireIssue(app, condition, item)
  }
}

/** Asks the forge once about a label, however many triggers wait for it. */
async function fireLabels(app: App, forge: Forge, item: ForgeItem, labels: readonly string[]): Promise<void> {
  if (!item.isOpen || labels.length === 0) return
  const conditions = (await findConditions(app.db, ['forge_label'])).filter(
    ({ configuration: { repos, target }, armed_at: armedAt }) =>
      target === item.kind && includesName(repos, item.repo) && isSince(item.updatedAt, armedAt),
  )
  for (const label of labels) {
    const waiting = conditions.filter(({ configuration }) => includesName(configuration.labels, label))
    const labelling = waiting.length > 0 ? await forge.labelledBy(item.repo, item.number, label) : undefined
    if (labelling) for (const condition of waiting) await fireLabel(app, condition, { item, label, labelling })
  }
}

/** Times of the forge have no fractions. */
export function isSince(time: Date, start: Date): boolean {
  return Math.floor(time.getTime() / 1000) >= Math.floor(start.getTime() / 1000)
}
