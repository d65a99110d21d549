import { protectedQueue } from '../../platform/jobs/queues.ts'
import type { App } from '../app.ts'

const why = 'holds the turns of sessions, which maintenance never touches'

/** The sentence to refuse with, if the queue or the queue of the class is protected. */
export function reasonToProtect(
  { queueOfJob }: Pick<App, 'queueOfJob'>,
  { queue, job }: { queue?: string | undefined; job?: string | undefined },
): string | undefined {
  if (queue === protectedQueue) return `The queue ${queue} ${why}`
  if (job !== undefined && queueOfJob.get(job) === protectedQueue)
    return `The class ${job} is in the queue ${protectedQueue}, which ${why}`
  return undefined
}

/** What stands in a discarded job as its error. */
export async function discardedBy(
  { redactor }: Pick<App, 'redactor'>,
  by: string,
  reason: string | undefined,
): Promise<string> {
  return reason === undefined ? `Discarded by ${by}` : `Discarded by ${by}: ${await redactor.text(reason)}`
}
