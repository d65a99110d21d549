import type { Rule } from './rule.ts'
import { structureRules } from './structure-rules.ts'
import { vendorRules } from './vendor-rules.ts'

/**
 * All rules, in the order that decides the label: a match of several rules gets the label of the first. So a forge
 * token in a URL or after `TOKEN=` keeps its specific label, and `ENV_SECRET` is the fallback. Private keys
 * (`private-key.ts`) and known values come before all rules.
 */
export const rules: readonly Rule[] = [...vendorRules, ...structureRules]
