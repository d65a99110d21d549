import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { deleteJob, failJob, lockUnclaimedJob, moveJob, selectJob } from '../../platform/jobs/job-store.ts'
import { pauseQueue, resumeQueue } from '../../platform/jobs/pauses.ts'
import type { QueueName } from '../../platform/jobs/queues.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { discardedBy, reasonToProtect } from './protected-queue.ts'

type Change = {
  /** For the log line. */
  verb: string
  /** Which of the unclaimed jobs it applies to. */
  takes: 'any' | 'waiting' | 'dead'
  apply(tx: Transaction, id: string): Promise<void>
}

/** Due at once, with all its attempts. */
export function retryJob(app: App, id: string): Promise<void> {
  return change(app, id, {
    verb: 'retried',
    takes: 'any',
    apply: (tx) => moveJob(tx, id, { delayMinutes: 0, isFresh: true }),
  })
}

export function rescheduleJob(app: App, id: string, delayMinutes: number): Promise<void> {
  return change(app, id, {
    verb: 'rescheduled',
    takes: 'waiting',
    apply: (tx) => moveJob(tx, id, { delayMinutes, isFresh: false }),
  })
}

/** The job never runs; its row stays, with the reason. */
export async function discardJob(app: App, id: string, reason: string | undefined): Promise<void> {
  const error = await discardedBy(app, 'the operator', reason)
  await change(app, id, { verb: 'discarded', takes: 'waiting', apply: (tx) => failJob(tx, id, error) })
}

/** Forgets a job that has no attempts left. */
export function forgetJob(app: App, id: string): Promise<void> {
  return change(app, id, { verb: 'deleted', takes: 'dead', apply: (tx) => deleteJob(tx, id) })
}

/** Check and change are one transaction on the locked row, so a worker that claims the job meanwhile wins or waits. */
async function change(app: App, id: string, { verb, takes, apply }: Change): Promise<void> {
  const job = await transact(app.db, async (tx) => {
    const found = await lockUnclaimedJob(tx, id)
    if (!found) return undefined
    refuseProtected(reasonToProtect(app, { job: found.job }))
    if (takes === 'waiting' && found.is_dead)
      refuse('maintenance_refused', 'The job has no attempts left: retry it, or delete it')
    if (takes === 'dead' && !found.is_dead)
      refuse('maintenance_refused', 'The job still waits: discard it before you delete it')
    await apply(tx, id)
    return found.job
  })
  if (job === undefined) {
    if (!(await selectJob(app.db, id))) refuseMissing()
    refuse('maintenance_refused', 'A worker has claimed the job, so it was left alone')
  }
  app.log.warn({ id, job, by: 'operator' }, `a job was ${verb} by hand`)
}

export async function pauseQueueByHand(app: App, queue: QueueName, reason: string): Promise<void> {
  refuseProtected(reasonToProtect(app, { queue }))
  if (!app.hasPauses)
    refuse('maintenance_refused', 'Pauses of queues are switched off on this server (QUEUE_PAUSES=off)')
  await pauseQueue(app.db, queue, reason)
  app.log.warn({ queue, reason, by: 'operator' }, 'a queue was paused by hand')
}

export async function resumeQueueByHand(app: App, queue: QueueName): Promise<void> {
  await resumeQueue(app.db, queue)
  app.log.warn({ queue, by: 'operator' }, 'a queue was resumed by hand')
}

function refuseProtected(reason: string | undefined): void {
  if (reason !== undefined) refuse('maintenance_refused', reason)
}
