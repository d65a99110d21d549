import type { Database, Transaction } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import type { Log } from '../log/log.ts'
import { refuse, refuseMissing } from '../refusal.ts'
import { deleteJob, failJob, lockUnclaimedJob, moveJob, selectJob } from './job-store.ts'
import { pauseQueue, resumeQueue } from './pauses.ts'
import type { QueueName } from './queues.ts'

/** Its jobs start the turns of sessions, so no one changes or pauses them by hand. */
export const protectedQueue: QueueName = 'agents'

/** A job can be put off by a week at most. */
export const maxDelayMinutes = 10_080

/** What the operations on jobs need. `queueOfJob`: the queue of each class that this version knows. */
export type JobDesk = { db: Database; log: Log; queueOfJob: ReadonlyMap<string, QueueName> }

type Change = {
  /** For the log line. */
  verb: string
  /** Which of the unclaimed jobs it applies to. */
  takes: 'any' | 'waiting' | 'dead'
  apply(tx: Transaction, id: string): Promise<void>
}

/** Due at once, with all its attempts. */
export function retryJob(desk: JobDesk, id: string): Promise<void> {
  return change(desk, id, {
    verb: 'retried',
    takes: 'any',
    apply: (tx) => moveJob(tx, id, { delayMinutes: 0, isFresh: true }),
  })
}

export function rescheduleJob(desk: JobDesk, id: string, delayMinutes: number): Promise<void> {
  return change(desk, id, {
    verb: 'rescheduled',
    takes: 'waiting',
    apply: (tx) => moveJob(tx, id, { delayMinutes, isFresh: false }),
  })
}

/** The job never runs; its row stays, with the reason. */
export function discardJob(desk: JobDesk, id: string, reason: string): Promise<void> {
  return change(desk, id, { verb: 'discarded', takes: 'waiting', apply: (tx) => failJob(tx, id, reason) })
}

/** Forgets a job that has no attempts left. */
export function forgetJob(desk: JobDesk, id: string): Promise<void> {
  return change(desk, id, { verb: 'deleted', takes: 'dead', apply: (tx) => deleteJob(tx, id) })
}

/** Check and change are one transaction on the locked row, so a worker that claims the job meanwhile wins or waits. */
async function change(desk: JobDesk, id: string, { verb, takes, apply }: Change): Promise<void> {
  const job = await transact(desk.db, async (tx) => {
    const found = await lockUnclaimedJob(tx, id)
    if (!found) return undefined
    refuseProtected(desk.queueOfJob.get(found.job))
    if (takes === 'waiting' && found.is_dead)
      refuse('maintenance_refused', 'The job has no attempts left: retry it, or delete it')
    if (takes === 'dead' && !found.is_dead)
      refuse('maintenance_refused', 'The job still waits: discard it before you delete it')
    await apply(tx, id)
    return found.job
  })
  if (job === undefined) {
    if (!(await selectJob(desk.db, id))) refuseMissing()
    refuse('maintenance_refused', 'A worker has claimed the job, so it was left alone')
  }
  desk.log.warn({ id, job, by: 'operator' }, `a job was ${verb} by hand`)
}

export async function pauseQueueByHand(desk: JobDesk, queue: QueueName, reason: string): Promise<void> {
  refuseProtected(queue)
  await pauseQueue(desk.db, queue, reason)
  desk.log.warn({ queue, reason, by: 'operator' }, 'a queue was paused by hand')
}

export async function resumeQueueByHand(desk: JobDesk, queue: QueueName): Promise<void> {
  await resumeQueue(desk.db, queue)
  desk.log.warn({ queue, by: 'operator' }, 'a queue was resumed by hand')
}

function refuseProtected(queue: QueueName | undefined): void {
  if (queue === protectedQueue)
    refuse('maintenance_refused', `The queue ${queue} holds the turns of sessions, which maintenance never touches`)
}
