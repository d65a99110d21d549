import { type Html, html } from '../../../platform/html/html.ts'
import { badge, foreignText, moment, queryForm, table } from '../../../platform/html/parts.ts'
import { type JobRow, type JobState, jobStates } from '../../../platform/jobs/job-store.ts'
import { type QueueName, queueNames } from '../../../platform/jobs/queues.ts'

export type JobListing = {
  jobs: readonly JobRow[]
  queueOfJob: ReadonlyMap<string, QueueName>
  filter: Readonly<Record<'queue' | 'class' | 'state', string>>
  /** The job after which the next page begins. */
  next: string | undefined
  now: Date
}

export function jobListView({ jobs, queueOfJob, filter, next, now }: JobListing): Html {
  const any = ['', 'any'] as const
  const options = (values: readonly string[]) => [any, ...values.map((value) => [value, value] as const)]
  const form = queryForm({
    action: '/jobs/list',
    button: 'Show',
    fields: [
      { name: 'queue', label: 'Queue', value: filter.queue, choices: options(queueNames) },
      { name: 'class', label: 'Class', value: filter.class, choices: options([...queueOfJob.keys()].toSorted()) },
      { name: 'state', label: 'State', value: filter.state, choices: options(jobStates) },
    ],
  })
  if (jobs.length === 0) return html`${form}<p class="soft">No job matches.</p>`
  const older = next !== undefined && new URLSearchParams({ ...filter, before: next }).toString()
  return html`${form}
    ${table(
      ['Job', 'Class', 'Queue', 'State', 'Due', 'Attempts', 'Host', 'Last error'],
      jobs.map((job) => [
        html`<a href="/jobs/${job.id}">${job.id}</a>`,
        html`<code>${job.job}</code>`,
        queueOfJob.get(job.job) ?? '',
        stateBadge(job.state),
        moment(job.run_at, now),
        `${job.attempts} of ${job.max_attempts}`,
        job.claimed_by ?? job.host ?? '',
        job.last_error === null ? '' : foreignText(job.last_error, 160),
      ]),
    )}
    ${older !== false && html`<p><a rel="next" href="/jobs/list?${older}">Older jobs</a></p>`}`
}

const tones = { claimed: 'info', dead: 'bad', failed: 'warn', scheduled: 'plain', ready: 'good' } as const

export function stateBadge(state: JobState): Html {
  return badge(state === 'claimed' ? 'running' : state, tones[state])
}
