import { wholeNumber } from '@yardmaster/contract/whole-number'
import type { FastifyInstance } from 'fastify'
import type { App } from '../../../domain/app.ts'
import { html } from '../../../platform/html/html.ts'
import { link, type Page } from '../../../platform/html/page.ts'
import { notice } from '../../../platform/html/parts.ts'
import type { FormTokens } from '../../../platform/http/form-tokens.ts'
import {
  discardJob,
  forgetJob,
  type JobDesk,
  maxDelayMinutes,
  pauseQueueByHand,
  rescheduleJob,
  resumeQueueByHand,
  retryJob,
} from '../../../platform/jobs/change-job.ts'
import { jobStates, selectJob, selectJobs } from '../../../platform/jobs/job-store.ts'
import { selectLanes } from '../../../platform/jobs/lane-store.ts'
import { listPauses } from '../../../platform/jobs/pauses.ts'
import { type QueueName, queueNames } from '../../../platform/jobs/queues.ts'
import { listPeriodicRuns } from '../../../platform/jobs/run-store.ts'
import { type Refusal, refuse, refuseMissing } from '../../../platform/refusal.ts'
import { type Address, type Filled, serveAction, servePage } from '../operator-route.ts'
import { boardView } from './board-view.ts'
import { jobListView } from './job-list-view.ts'
import { jobView } from './job-view.ts'

type Parts = { queueOfJob: ReadonlyMap<string, QueueName>; tokens: FormTokens }

const perPage = 50

/** The job dashboard: queues, classes, jobs, and what an operator does about them. */
export function registerJobsPages(server: FastifyInstance, app: App, { queueOfJob, tokens }: Parts): void {
  const desk: JobDesk = { db: app.db, log: app.log, queueOfJob }

  const board = async (said: Said): Promise<Page> => {
    const [lanes, pauses, runs] = await Promise.all([selectLanes(app.db), listPauses(app.db), listPeriodicRuns(app.db)])
    const paused = new Map(pauses.map(({ queue, reason }) => [queue, reason]))
    const view = boardView({ lanes, queueOfJob, pauses: paused, runs, now: app.clock.now() }, tokens)
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
      classes: classesOf(queueOfJob, queue, job),
      state: jobStates.find((known) => known === state),
      before: before !== undefined && isJobId(before) ? before : undefined,
      limit: perPage + 1,
    })
    const page = jobs.slice(0, perPage)
    const next = jobs.length > perPage ? page.at(-1)?.id : undefined
    const filter = { queue, class: job, state }
    const body = jobListView({ jobs: page, queueOfJob, filter, next, now: app.clock.now() })
    return { title: 'Jobs one by one', lead: 'Newest first.', place, near: near('/jobs/list'), body }
  }

  const one = async (id: string, said: Said): Promise<Page> => {
    const job = (isJobId(id) && (await selectJob(app.db, id))) || refuseMissing()
    // Redacted before the view truncates it: half a secret no longer matches its pattern.
    const payloadText = await app.redactor.text(JSON.stringify(job.payload, null, 2))
    const lastError = job.last_error && (await app.redactor.text(job.last_error))
    const shownJob = { ...job, last_error: lastError, queue: queueOfJob.get(job.job), payloadText }
    const wrongDelay = said.refusal?.kind === 'validation_failed' ? said.refusal.message : undefined
    const view = jobView(shownJob, { now: app.clock.now(), tokens, wrongDelay })
    return { title: `Job ${id}`, place, near: near(''), body: html`${wrongDelay === undefined && shown(said)}${view}` }
  }

  servePage(server, '/jobs', ({ query }) => board({ done: query.done }))
  servePage(server, '/jobs/list', ({ query }) => list(query))
  servePage(server, '/jobs/:id', ({ params, query }) => one(params.id ?? '', { done: query.done }))

  for (const [verb, { perform, isLast = false }] of Object.entries(changes))
    serveAction(server, {
      url: `/jobs/:id/${verb}`,
      tokens,
      perform: async ({ params: { id = '' } }, filled) => {
        if (!isJobId(id)) refuseMissing()
        await perform(desk, id, filled, app)
        return isLast ? `/jobs?done=${verb}` : `/jobs/${id}?done=${verb}`
      },
      renderRefused: ({ params }, _filled, refusal) => one(params.id ?? '', { refusal }),
    })

  for (const [verb, perform] of Object.entries(switches))
    serveAction(server, {
      url: `/jobs/queues/:queue/${verb}`,
      tokens,
      perform: async (address) => {
        await perform(desk, queueOf(address))
        return `/jobs?done=${verb}`
      },
      renderRefused: (_address, _filled, refusal) => board({ refusal }),
    })
}

const place = '/jobs'

type Change = {
  perform(desk: JobDesk, id: string, filled: Filled, app: App): Promise<void>
  /** The job has no page afterwards. */
  isLast?: boolean
}

const changes: Record<string, Change> = {
  retry: { perform: retryJob },
  reschedule: { perform: (desk, id, filled) => rescheduleJob(desk, id, readDelay(filled.delay_minutes)) },
  discard: {
    perform: async (desk, id, { reason = '' }, { redactor }) => {
      const because = reason.trim() === '' ? '' : `: ${await redactor.text(reason.trim())}`
      await discardJob(desk, id, `Discarded by the operator${because}`)
    },
  },
  delete: { perform: forgetJob, isLast: true },
}

const switches: Record<string, (desk: JobDesk, queue: QueueName) => Promise<void>> = {
  pause: (desk, queue) => pauseQueueByHand(desk, queue, 'Paused by the operator'),
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

/** A queue and a class together are an intersection; undefined is every class. */
function classesOf(queueOfJob: Parts['queueOfJob'], queue: string, job: string): string[] | undefined {
  if (queue === '') return job === '' ? undefined : [job]
  const own = [...queueOfJob].flatMap(([name, in_]) => (in_ === queue ? [name] : []))
  return job === '' ? own : own.filter((name) => name === job)
}

/** A positive number that PostgreSQL can compare with an id. */
function isJobId(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text)
}

function readDelay(text: string | undefined): number {
  const minutes = wholeNumber(text)
  if (minutes === undefined || minutes > maxDelayMinutes)
    return refuse('validation_failed', `Minutes from now must be a whole number from 0 to ${maxDelayMinutes}`)
  return minutes
}
