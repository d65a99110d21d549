import type { Genesis, PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { Settings } from '@yardmaster/contract/settings/fields'

/** Sessions that a person started are `priority`; sessions that a machine started are `spot`. */
const defaultClasses: Record<Genesis, PriorityClass> = {
  web_ui: 'priority',
  chat: 'priority',
  forge_issue: 'spot',
  forge_label: 'spot',
  schedule: 'spot',
  ao_event: 'spot',
  api: 'spot',
  unknown: 'priority',
}

/** The class of a session without an explicit one. Settings override only kinds whose class no trigger sets. */
export function classesByGenesis({ genesis_class_overrides: overrides }: Settings): Record<Genesis, PriorityClass> {
  return { ...defaultClasses, ...overrides }
}
