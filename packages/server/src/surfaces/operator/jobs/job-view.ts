import { limits } from '@yardmaster/contract/limits'
import { type Html, html } from '../../../platform/html/html.ts'
import { facts, foreignText, moment } from '../../../platform/html/parts.ts'
import type { FormTokens } from '../../../platform/http/form-tokens.ts'
import type { JobRow } from '../../../platform/jobs/job-store.ts'
import { protectedQueue, type QueueName } from '../../../platform/jobs/queues.ts'
import { guardedForm } from '../operator-route.ts'
import { stateBadge } from './job-list-view.ts'

export type ShownJob = JobRow & { queue: QueueName | undefined; key: string | null; payloadText: string }

type Around = { now: Date; tokens: FormTokens; wrongDelay: string | undefined }

export function jobView(job: ShownJob, around: Around): Html {
  const { now } = around
  return html`
    ${facts([
      ['Class', html`<code>${job.job}</code>`],
      ['Queue', job.queue ?? 'of another version'],
      ['State', stateBadge(job.state)],
      ['Due', moment(job.run_at, now)],
      ['Made', moment(job.created_at, now)],
      ['Attempts', `${job.attempts} of ${job.max_attempts}`],
      ['Host', job.host ?? 'any'],
      ...(job.locked_at
        ? [['Claimed', html`${moment(job.locked_at, now)} by ${job.claimed_by ?? 'an unknown host'}`] as const]
        : []),
      ...(job.key === null ? [] : [['Key', foreignText(job.key)] as const]),
    ])}
    ${job.last_error !== null && html`<h2>Last error</h2><pre>${foreignText(job.last_error)}</pre>`}
    <h2>Payload</h2>
    <pre>${foreignText(job.payloadText)}</pre>
    <h2>Change</h2>
    ${changes(job, around)}`
}

function changes({ id, state, queue }: ShownJob, { tokens, wrongDelay }: Around): Html {
  if (queue === protectedQueue)
    return html`<p>The queue ${queue} holds the turns of sessions, which maintenance never touches.</p>`
  if (state === 'claimed') return html`<p>A worker has claimed the job, so it cannot be changed.</p>`
  const form = (verb: string, button: string, options = {}) =>
    html`<section class="action">${guardedForm(tokens, { action: `/jobs/${id}/${verb}`, button, ...options })}</section>`
  const retry = form('retry', 'Retry now, with all attempts')
  if (state === 'dead') return html`${retry}${form('delete', 'Delete', { isDangerous: true })}`
  const minutes = {
    name: 'delay_minutes',
    label: 'Minutes from now',
    type: 'number',
    value: 60,
    hint: `${limits.rescheduleMinutes.min} to ${limits.rescheduleMinutes.max}`,
    ...(wrongDelay !== undefined && { problem: wrongDelay }),
  } as const
  const reason = { name: 'reason', label: 'Reason', hint: 'Kept with the job, which never runs.' } as const
  return html`${retry}
    ${form('reschedule', 'Reschedule', { fields: [minutes] })}
    ${form('discard', 'Discard', { fields: [reason], isDangerous: true })}`
}
