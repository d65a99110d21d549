import { limits } from '@yardmaster/contract/limits'
import { wholeNumber } from '@yardmaster/contract/whole-number'
import type { FastifyInstance } from 'fastify'
import type { App } from '../../../domain/app.ts'
import {
  classesOf,
  discardJob,
  forgetJob,
  pauseQueueByHand,
  rescheduleJob,
  resumeQueueByHand,
  retryJob,
} from '../../../domain/queues/queues.ts'
import { html } from '../../../platform/html/html.ts'
import { link, type Page } from '../../../platform/html/page.ts'
import { notice } from '../../../platform/html/parts.ts'
import type { FormTokens } from '../../../platform/http/form-tokens.ts'
import { jobStates, selectJob, selectJobs } from '../../../platform/jobs/job-store.ts'
import { selectLanes, selectThroughput } from '../../../platform/jobs/lane-store.ts'
import { listPauses } from '../../../platform/jobs/pauses.ts'
import { type QueueName, queueNames } from '../../../platform/jobs/queues.ts'
import { selectRecovery } from '../../../platform/jobs/recovery-store.ts'
import { listPeriodicRuns } from '../../../platform/jobs/run-store.ts'
import { type Refusal, refuse, refuseMissing } from '../../../platform/refusal.ts'
import { type Address, type Filled, serveAction, servePage } from '../operator-route.ts'
import { boardView } from './board-view.ts'
import { jobListView } from './job-list-view.ts'
import { jobView } from './job-view.ts'

const perPage = 50

/** Acting needs the password, reading does not. */
const forSignedIn = { isForSignedIn: true }

/** The job dashboard: queues, classes, jobs, and what an operator does about them. */
export function registerJobsPages(server: FastifyInstance, app: App, tokens: FormTokens): void {
  const { queueOfJob } = app

  const board = async (said: Said): Promise<Page> => {
    const { hasPauses } = app
    const [lanes, throughput, pauses, recovery, runs] = await Promise.all([
      selectLanes(app.db),
      selectThroughput(app.db),
      hasPauses ? listPauses(app.db) : [],
      hasPauses ? selectRecovery(app.db) : undefined,
      listPeriodicRuns(app.db),
    ])
    const paused = new Map(pauses.map(({ queue, reason }) => [queue, reason]))
    const redacted = await Promise.all(runs.map((run) => withoutSecrets(app, run)))
    const view = boardView(
      { lanes, throughput, queueOfJob, pauses: paused, recovery, hasPauses, runs: redacted, now: app.clock.now() },
      tokens,
    )
    return {
      title: 'Jobs',
      lead: 'Background work of all hosts.',
      place,
      near: near('/jobs'),
      body: html`${shown(said)}${view}`,
    }
  }

  const list = async ({ queue = '', class: job = '', state = '', before }: Filled): Promise<Page> => {
    const jobs = await selectJobs(app.db, {
      classes: classesOf(app, { queue_name: queue || undefined, job_class: job || undefined }),
      state: jobStates.find((known) => known === state),
      before: before !== undefined && isJobId(before) ? before : undefined,
      limit: perPage + 1,
    })
    const page = await Promise.all(jobs.slice(0, perPage).map((each) => withoutSecrets(app, each)))
    const next = jobs.length > perPage ? page.at(-1)?.id : undefined
    const filter = { queue, class: job, state }
    const body = jobListView({ jobs: page, queueOfJob, filter, next, now: app.clock.now() })
    return { title: 'Jobs one by one', lead: 'Newest first.', place, near: near('/jobs/list'), body }
  }

  const one = async (id: string, said: Said): Promise<Page> => {
    const job = await withoutSecrets(app, (isJobId(id) && (await selectJob(app.db, id))) || refuseMissing())
    const payloadText = await app.redactor.text(JSON.stringify(job.payload, null, 2))
    const shownJob = { ...job, queue: queueOfJob.get(job.job), payloadText }
    const wrongDelay = said.refusal?.kind === 'validation_failed' ? said.refusal.message : undefined
    const view = jobView(shownJob, { now: app.clock.now(), tokens, wrongDelay })
    return { title: `Job ${id}`, place, near: near(''), body: html`${wrongDelay === undefined && shown(said)}${view}` }
  }

  servePage(server, '/jobs', ({ query }) => board({ done: query.done }), forSignedIn)
  servePage(server, '/jobs/list', ({ query }) => list(query), forSignedIn)
  servePage(server, '/jobs/:id', ({ params, query }) => one(params.id ?? '', { done: query.done }), forSignedIn)

  for (const [verb, { perform, isLast = false }] of Object.entries(changes))
    serveAction(server, {
      url: `/jobs/:id/${verb}`,
      tokens,
      perform: async ({ params: { id = '' } }, filled) => {
        if (!isJobId(id)) refuseMissing()
        await perform(app, id, filled)
        return isLast ? `/jobs?done=${verb}` : `/jobs/${id}?done=${verb}`
      },
      renderRefused: ({ params }, _filled, refusal) => one(params.id ?? '', { refusal }),
    })

  for (const [verb, perform] of Object.entries(switches))
    serveAction(server, {
      url: `/jobs/queues/:queue/${verb}`,
      tokens,
      perform: async (address) => {
        await perform(app, queueOf(address))
        return `/jobs?done=${verb}`
      },
      renderRefused: (_address, _filled, refusal) => board({ refusal }),
    })
}

const place = '/jobs'

type Change = {
  perform(app: App, id: string, filled: Filled): Promise<void>
  /** The job has no page afterwards. */
  isLast?: boolean
}

const changes: Record<string, Change> = {
  retry: { perform: retryJob },
  reschedule: { perform: (app, id, filled) => rescheduleJob(app, id, readDelay(filled.delay_minutes)) },
  discard: { perform: (app, id, { reason = '' }) => discardJob(app, id, reason.trim() || undefined) },
  delete: { perform: forgetJob, isLast: true },
}

const switches: Record<string, (app: App, queue: QueueName) => Promise<void>> = {
  pause: (app, queue) => pauseQueueByHand(app, queue, 'Paused by the operator'),
  resume: resumeQueueByHand,
}

/** What the last action did, by the name in the address: a link from elsewhere cannot make the page say anything else. */
const doneSentences: Record<string, string> = {
  retry: 'The job is due now, with all its attempts.',
  reschedule: 'The job was rescheduled.',
  discard: 'The job was discarded. It will not run.',
  delete: 'The job was deleted.',
  pause: 'The queue is paused. Jobs that run finish; within a second no host starts another.',
  resume: 'The queue runs again.',
}

type Said = { done?: string | undefined; refusal?: Refusal }

function shown({ done, refusal }: Said) {
  if (refusal) return notice(refusal.messages.join(' '), 'bad')
  const sentence = done !== undefined && Object.hasOwn(doneSentences, done) ? doneSentences[done] : undefined
  return sentence !== undefined && notice(sentence, 'good')
}

function near(current: string) {
  const places = [
    ['/jobs', 'Queues'],
    ['/jobs/list', 'Jobs one by one'],
  ] as const
  return html`<nav class="near" aria-label="Jobs">${places.map(([href, label]) => link(href, label, href === current))}</nav>`
}

function queueOf({ params }: Address): QueueName {
  return queueNames.find((known) => known === params.queue) ?? refuseMissing()
}

/** An older version may have stored it. Redacted before a view truncates it: half a secret no longer matches its pattern. */
async function withoutSecrets<Row extends { last_error: string | null }>({ redactor }: App, row: Row): Promise<Row> {
  return row.last_error === null ? row : { ...row, last_error: await redactor.text(row.last_error) }
}

/** A positive number that PostgreSQL can compare with an id. */
function isJobId(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text)
}

function readDelay(text: string | undefined): number {
  const minutes = wholeNumber(text)
  const { min, max } = limits.rescheduleMinutes
  if (minutes === undefined || minutes > max)
    return refuse('validation_failed', `Minutes from now must be a whole number from ${min} to ${max}`)
  return minutes
}
