import type { Genesis, PriorityClass } from '@yardmaster/contract/session'
import type { Settings } from '@yardmaster/contract/settings'

/** People who wait come first; what machines start can wait. */
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

/** The class of a session that does not choose one. An operator may move only the kinds no trigger decides about. */
export function classesByGenesis({ genesis_class_overrides: overrides }: Settings): Record<Genesis, PriorityClass> {
  return { ...defaultClasses, ...overrides }
}
