import type { Forge } from '../../platform/forge/forge.ts'
import type { ForgeItem } from '../../platform/forge/item.ts'
import type { App } from '../app.ts'
import { type FireResult, fireTrigger } from '../fires/fire.ts'
import type { Condition } from '../triggers/trigger.ts'
import { eventAbout } from './forge-item.ts'

export type LabelCondition = Condition<'forge_label'>

/**
 * Fires the condition's trigger for a label that stands on an item. The claim is on the forge's own event of the addition:
 * webhook and poller name the same one, and a label that is removed and added again is a new one. Undefined when the label
 * is no longer on the item, or came to stand on it before `since`.
 */
export async function fireLabel(
  app: App,
  forge: Forge,
  condition: LabelCondition,
  { item, label, since }: { item: ForgeItem; label: string; since?: Date },
): Promise<FireResult | undefined> {
  const labelling = await forge.labelledBy(item.repo, item.number, label)
  if (!labelling || (since && labelling.at <= since)) return undefined
  const kind = item.kind === 'issue' ? 'issue' : 'pull request'
  return fireTrigger(
    app,
    condition.trigger_id,
    eventAbout(item, {
      by: 'forge_label',
      key: `forge_label:${item.repo.toLowerCase()}#${item.number}:${label.toLowerCase()}:${labelling.eventId}`,
      conditionId: condition.id,
      event: `label ${label} added to ${kind}`,
      occurredAt: item.updatedAt,
    }),
  )
}
