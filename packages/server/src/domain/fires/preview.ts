import type { PreviewRequest, TriggerPreview } from '@yardmaster/contract/fires/fields'
import { limits } from '@yardmaster/contract/limits'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { refuseMissing } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { previewConditions, selectConditionsOf, selectTrigger } from '../triggers/trigger.ts'
import { isUntrusted } from './event.ts'
import { withContext } from './prompt.ts'
import { placeholdersIn, renderTemplate, valuesOf } from './template.ts'

const shownFires = 5
/** A template may repeat a value thousands of times. */
const sampleLength = 200

/** What a trigger would do, before it is written. */
export async function previewTrigger(
  app: App,
  { trigger_id, trigger_conditions_attributes, prompt_template, variables }: PreviewRequest,
): Promise<TriggerPreview> {
  const row = trigger_id ? ((await selectTrigger(app.db, trigger_id)) ?? refuseMissing()) : undefined
  const stored = row ? await selectConditionsOf(app.db, [row.id]) : []
  const now = app.clock.now()
  const conditions = previewConditions(trigger_conditions_attributes ?? [], stored, {
    now,
    isEnabled: row?.status === 'enabled',
    count: shownFires,
  })
  const fires = conditions.flatMap(({ runs, timezone }, condition) => runs.map((at) => ({ at, condition, timezone })))
  const [first] = conditions
  const source = { by: first?.type ?? ('invoke' as const) }
  const template = prompt_template ?? ''
  const samples = Object.entries(valuesOf(variables)).map(([name, value]) => [
    name,
    truncate(Array.isArray(value) ? value.join(', ') : String(value), sampleLength),
  ])
  const prompt = renderTemplate(withContext(template, source), {
    values: Object.fromEntries(samples),
    isUntrusted: isUntrusted(source),
    now,
    timezone: first?.timezone ?? 'UTC',
  })
  const { filled, unknown } = placeholdersIn(template)
  return {
    conditions: conditions.map(({ description, problems }) => ({ description, problems })),
    next_fires: fires
      .toSorted((one, other) => one.at.getTime() - other.at.getTime())
      .slice(0, shownFires)
      .map((fire) => ({ ...fire, at: formatTimestamp(fire.at) })),
    prompt: truncate(prompt, limits.prompt),
    placeholders: filled,
    unknown_placeholders: unknown,
  }
}
