import { limits } from '@yardmaster/contract/limits'
import { isAtMost } from '@yardmaster/contract/text'
import { refuse } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import { wallClockAt } from '../../platform/wall-clock.ts'
import type { ConditionRow, TriggerRow } from '../triggers/trigger.ts'
import { isUntrusted, type TriggerEvent } from './event.ts'
import { newFence, renderTemplate } from './template.ts'

type Moment = { now: Date; timezone: string }

/** The prompt of a fire: the template with the first event's values, then a list of the events folded into it. */
export function writePrompt(
  { prompt_template: template }: Pick<TriggerRow, 'prompt_template'>,
  [event, ...folded]: readonly [TriggerEvent, ...TriggerEvent[]],
  moment: Moment,
): string {
  const rendered = renderTemplate(withContext(template, event), {
    values: event.values,
    isUntrusted: isUntrusted(event),
    ...moment,
  })
  const prompt = folded.length === 0 ? rendered : `${rendered}\n\n${listEvents(folded, moment)}`
  if (prompt.trim() === '') refuse('validation_failed', 'Prompt template renders to nothing')
  if (!isAtMost(prompt, limits.prompt))
    refuse('validation_failed', `Prompt is too long (maximum ${limits.prompt.toLocaleString('en-US')} characters)`)
  return prompt
}

/** A template about a forge that does not say which item it is about gets the item appended. */
export function withContext(template: string, { by }: Pick<TriggerEvent, 'by'>): string {
  const isForge = by === 'forge_issue' || by === 'forge_label'
  if (!isForge || /\{\{\s*(link|repo|number)\s*(\|\s*\w+\s*)?\}\}/.test(template)) return template
  return [
    template,
    '',
    '{{event}}',
    'Repository: {{repo}}',
    'Number: {{number}}',
    'Link: {{link}}',
    'Title: {{title}}',
    'Author: {{author}}',
    'Labels: {{labels}}',
    '',
    '{{text}}',
  ].join('\n')
}

const listed = 25
const excerptLength = 200

/** Messages that were folded into an event: time, author, the beginning and the link of each. */
export function listEvents(events: readonly TriggerEvent[], { timezone }: Pick<Moment, 'timezone'>): string {
  const fence = newFence()
  const lines = events.slice(0, listed).map(({ occurredAt, values }) => {
    const { hour, minute } = wallClockAt(occurredAt, timezone)
    const time = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')
    const excerpt = truncate(String(values.text ?? '').replace(/\s+/g, ' '), excerptLength)
    return `- ${time} ${fence.around(`${values.author ?? 'unknown'}: ${excerpt}`)}${values.link ? ` ${values.link}` : ''}`
  })
  const more = events.length > listed ? [`- and ${events.length - listed} more`] : []
  return fence.explain(['Further messages in the same conversation:', ...lines, ...more].join('\n'))
}

/** `time` and `date` are in the zone of the condition that fired; UTC if it has none. */
export function timezoneOf(condition: Pick<ConditionRow, 'configuration'> | undefined): string {
  const timezone = condition?.configuration.timezone
  return typeof timezone === 'string' ? timezone : 'UTC'
}
