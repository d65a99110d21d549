import type { Genesis, PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { Settings } from '@yardmaster/contract/settings/fields'
import { defaultClasses } from '../settings/settings.ts'

/** The class of a session without an explicit one. Settings override only kinds whose class no trigger sets. */
export function classesByGenesis({ genesis_class_overrides: overrides }: Settings): Record<Genesis, PriorityClass> {
  return { ...defaultClasses, ...overrides }
}
