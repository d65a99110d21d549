import type { Rule } from './rule.ts'
import { structureRules } from './structure-rules.ts'
import { vendorRules } from './vendor-rules.ts'

/**
 * Everything that is recognised without being known, in the order that decides a label: a find that several rules make
 * carries the label of the first. So a forge's token in a URL or behind `TOKEN=` is called what it is, and
 * `ENV_SECRET` is what is left. Blocks of private keys (`private-key.ts`) and known values come before all of these.
 */
export const rules: readonly Rule[] = [...vendorRules, ...structureRules]
