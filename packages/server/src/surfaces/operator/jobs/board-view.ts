import { type Html, html } from '../../../platform/html/html.ts'
import { badge, duration, foreignText, moment, table } from '../../../platform/html/parts.ts'
import type { FormTokens } from '../../../platform/http/form-tokens.ts'
import type { JobState } from '../../../platform/jobs/job-store.ts'
import type { ClassLane, Throughput } from '../../../platform/jobs/lane-store.ts'
import { haltedQueues, protectedQueue, type QueueName, queueNames, queues } from '../../../platform/jobs/queues.ts'
import type { Recovery } from '../../../platform/jobs/recovery-store.ts'
import type { PeriodicRun } from '../../../platform/jobs/run-store.ts'
import { guardedForm } from '../operator-route.ts'

export type Board = {
  lanes: readonly ClassLane[]
  queueOfJob: ReadonlyMap<string, QueueName>
  throughput: readonly Throughput[]
  /** Those that a person paused, with the reasons. */
  pauses: ReadonlyMap<QueueName, string | null>
  /** Recovery mode, while it lasts. */
  recovery: Recovery | undefined
  hasPauses: boolean
  runs: readonly PeriodicRun[]
  now: Date
}

/** The queues, the classes in them, and the periodic tasks. */
export function boardView(board: Board, tokens: FormTokens): Html {
  return html`
    <h2>Queues</h2>
    ${table(
      [
        'Queue',
        'State',
        'Ready',
        'Scheduled',
        'Running',
        'Failed',
        'Dead',
        'Oldest ready',
        'Ended in an hour',
        'Change',
      ],
      queueNames.map((queue) => queueRow(board, queue, tokens)),
    )}
    <h2>Job classes</h2>
    ${classTable(board)}
    <h2>Periodic work</h2>
    ${periodicTable(board)}`
}

function queueRow(board: Board, queue: QueueName, tokens: FormTokens) {
  const { lanes, throughput, queueOfJob, now } = board
  const own = lanes.filter(({ job }) => queueOfJob.get(job) === queue)
  const ended = throughput.find((each) => each.queue === queue)
  const oldest = Math.max(...own.map((lane) => lane.oldest_ready_seconds ?? -1))
  return [
    html`<a href="/jobs/list?queue=${queue}">${queue}</a><small>${queues[queue].about}</small>`,
    queueState(board, queue),
    ...counts(own, { queue }),
    oldest < 0 ? html`<span class="soft">none</span>` : duration(oldest),
    ended
      ? html`${ended.ended}<small>last ${moment(ended.last_ended_at, now)}</small>`
      : html`<span class="soft">0</span>`,
    pauseForm(board, queue, tokens),
  ]
}

/** A queue can be paused and halted at once: it runs again when both are over. */
function queueState({ pauses, recovery, now }: Board, queue: QueueName): Html {
  const reason = pauses.get(queue)
  const halt = haltedQueues.some((halted) => halted === queue) ? recovery : undefined
  if (reason === undefined && !halt) return badge('running', 'good')
  return html`
    ${reason !== undefined && html`${badge('paused', 'warn')}${reason !== null && html`<small>${foreignText(reason)}</small>`}`}
    ${halt && html`${badge('halted', 'warn')}<small>by <a href="/health">recovery mode</a>, ends ${moment(halt.expires_at, now)}</small>`}`
}

function pauseForm({ pauses, hasPauses }: Board, queue: QueueName, tokens: FormTokens): Html {
  if (queue === protectedQueue) return html`<span class="soft">protected: it holds the turns</span>`
  if (!hasPauses) return html`<span class="soft">pauses are switched off</span>`
  const isPaused = pauses.has(queue)
  const action = `/jobs/queues/${queue}/${isPaused ? 'resume' : 'pause'}`
  return guardedForm(tokens, { action, button: isPaused ? `Resume ${queue}` : `Pause ${queue}` })
}

const counted = { ready: 'ready', scheduled: 'scheduled', claimed: 'claimed', failed: 'failed', dead: 'dead' } as const

function counts(lanes: readonly ClassLane[], scope: Record<string, string>): Html[] {
  return Object.values(counted).map((state) => {
    const count = lanes.reduce((sum, lane) => sum + lane[state], 0)
    return countLink(count, state, scope)
  })
}

function countLink(count: number, state: JobState, scope: Record<string, string>): Html {
  if (count === 0) return html`<span class="soft">0</span>`
  const tone = state === 'dead' ? 'bad' : 'warn'
  const shown = state === 'dead' || state === 'failed' ? badge(String(count), tone) : count
  return html`<a href="/jobs/list?${new URLSearchParams({ ...scope, state }).toString()}">${shown}</a>`
}

function classTable({ lanes, queueOfJob }: Board): Html {
  if (lanes.length === 0) return html`<p class="soft">No job waits, runs or has failed.</p>`
  const sorted = lanes.toSorted((one, other) => (one.job < other.job ? -1 : 1))
  return table(
    ['Class', 'Queue', 'Ready', 'Scheduled', 'Running', 'Failed', 'Dead', 'Oldest ready'],
    sorted.map((lane) => [
      html`<a href="/jobs/list?${new URLSearchParams({ class: lane.job }).toString()}"><code>${lane.job}</code></a>`,
      queueOfJob.get(lane.job) ?? html`<span class="soft">of another version</span>`,
      ...counts([lane], { class: lane.job }),
      lane.oldest_ready_seconds === null ? html`<span class="soft">none</span>` : duration(lane.oldest_ready_seconds),
    ]),
  )
}

function periodicTable({ runs, now }: Board): Html {
  if (runs.length === 0) return html`<p class="soft">No periodic task has run within a week.</p>`
  return table(
    ['Task', 'Host', 'Last run', 'Took', 'State', 'Last error'],
    runs.map((run) => [
      html`<code>${run.name}</code>`,
      run.host_id,
      moment(run.last_run_at, now),
      `${run.last_duration_ms} ms`,
      run.consecutive_failures === 0
        ? badge('works', 'good')
        : badge(`${run.consecutive_failures} failures in a row`, 'bad'),
      run.last_error === null ? '' : html`${moment(run.last_error_at, now)}: ${foreignText(run.last_error, 300)}`,
    ]),
  )
}
