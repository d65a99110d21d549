import type { Labelling } from '../../platform/forge/forge.ts'
import type { ForgeItem } from '../../platform/forge/item.ts'
import type { App } from '../app.ts'
import { type FireResult, fireTrigger } from '../fires/fire.ts'
import type { Condition } from '../triggers/trigger.ts'
import { eventAbout } from './forge-item.ts'

export type LabelCondition = Condition<'forge_label'>

/**
 * Fires the condition's trigger for a label that stands on an item. The claim is on the forge's own event of the addition:
 * webhook and poller name the same one, and a label that is removed and added again is a new one.
 */
export function fireLabel(
  app: App,
  condition: LabelCondition,
  { item, label, labelling }: { item: ForgeItem; label: string; labelling: Labelling },
): Promise<FireResult> {
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
