import type { ForgeItem } from '../../platform/forge/item.ts'
import type { App } from '../app.ts'
import { type FireResult, fireTrigger } from '../fires/fire.ts'
import type { Condition } from '../triggers/trigger.ts'
import { eventAbout, includesName } from './forge-item.ts'
import { isOpenedByAgent } from './opened-by-agent.ts'

export type IssueCondition = Condition<'forge_issue'>

/** `excluded`: by a label, now. `own`: an agent of ours opened it. `undecided`: it is asked again later. */
export type IssueResult = FireResult | { outcome: 'excluded' | 'own' | 'undecided' }

/** Fires the condition's trigger for an issue, unless its author opted out or an agent of ours opened it. */
export async function fireIssue(app: App, condition: IssueCondition, item: ForgeItem): Promise<IssueResult> {
  const { exclude_labels: excluded } = condition.configuration
  if (item.labels.some((label) => includesName(excluded, label))) return { outcome: 'excluded' }
  const isOwn = await isOpenedByAgent(app, item)
  if (isOwn !== 'no') return { outcome: isOwn === 'yes' ? 'own' : 'undecided' }
  return fireTrigger(
    app,
    condition.trigger_id,
    eventAbout(item, {
      by: 'forge_issue',
      key: `forge_issue:${item.repo.toLowerCase()}#${item.number}`,
      conditionId: condition.id,
      event: 'issue opened',
      occurredAt: item.createdAt,
    }),
  )
}
