import { z } from 'zod'
import { readJsonFile } from '../platform/files/json-file.ts'
import type { RuntimeModel } from './runtime.ts'

/** The models of each driver that declares any, by the driver's name. A list in the operator's file replaces the built-in one. */
export function readModels(
  drivers: readonly { name: string; models?: readonly ModelRow[] }[],
  overridePath?: string,
): Readonly<Record<string, readonly RuntimeModel[]>> {
  const builtIn = drivers.flatMap(({ name, models }) => (models ? [[name, models] as const] : []))
  const names = builtIn.map(([name]) => name)
  const replaced = overridePath === undefined ? {} : readOverride(overridePath, names)
  return Object.fromEntries(builtIn.map(([name, rows]) => [name, offeredModels(replaced[name] ?? rows)]))
}

export function offeredModels(rows: readonly ModelRow[]): RuntimeModel[] {
  return rows.map(offered)
}

const ModelRow = z.strictObject({
  id: z.string().regex(/^[\w.[\]:/-]{1,200}$/, 'must be the id by which the CLI knows the model'),
  label: z.string().min(1, 'must not be empty').max(100, 'must be 100 characters or fewer'),
  default: z.boolean().optional(),
  /** Needs a subscription sign-in; an API key is not enough. */
  requires_oauth: z.boolean().optional(),
  /** The vendor advises against it for new work. */
  deprecated: z.boolean().optional(),
  /** From this day on the vendor accepts only API keys for it, no subscription sign-in. */
  leaves_oauth_on: z.iso.date('must be a date like 2026-08-31').optional(),
})
export type ModelRow = z.infer<typeof ModelRow>

/** Remarks go into the label, because that is what a person who chooses a model reads. */
function offered({ id, label, deprecated, leaves_oauth_on: leavesOn, ...flags }: ModelRow): RuntimeModel {
  const remarks = [
    ...(deprecated ? ['deprecated'] : []),
    ...(leavesOn ? [`no subscription sign-in from ${leavesOn}`] : []),
  ]
  return {
    id,
    label: remarks.length === 0 ? label : `${label} (${remarks.join(', ')})`,
    default: flags.default ?? false,
    requires_oauth: flags.requires_oauth ?? false,
  }
}

const ModelList = z
  .array(ModelRow)
  .min(1, 'must name at least one model')
  .refine((rows) => rows.filter((row) => row.default).length === 1, 'must have exactly one model with "default": true')
  .refine((rows) => new Set(rows.map(({ id }) => id)).size === rows.length, 'must not name a model twice')

/** `{"<driver>": [{"id", "label", "default"?, "requires_oauth"?, ...}]}` with the columns of `ModelRow`. */
function readOverride(path: string, names: readonly string[]): Record<string, ModelRow[] | undefined> {
  const ModelsFile = z.strictObject(Object.fromEntries(names.map((name) => [name, ModelList.optional()])))
  return readJsonFile(path, ModelsFile)
}
