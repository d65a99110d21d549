import { z } from 'zod'
import type { WorkContext } from '../log/work-context.ts'
import type { QueueName } from './queues.ts'

/** A job class. Declared apart from its handler, so that any room can enqueue what a later room handles. */
export type Job<Payload = unknown> = {
  name: string
  queue: QueueName
  payload: z.ZodType<Payload>
  /** Attempts in all. The delay between them grows exponentially from a few seconds. */
  attempts: number
}

export function defineJob<Payload>(job: Job<Payload>): Job<Payload> {
  return job
}

/**
 * The handler of a job class. Jobs are short: long work goes to `background`, with a row that shows it runs. A job may run
 * twice, so the second run must be harmless.
 */
export type JobHandler<App> = {
  job: Pick<Job, 'name' | 'queue'>
  perform(payload: unknown, app: App): Promise<void>
}

export function jobHandling<App>() {
  return function handleJob<Payload>(
    job: Job<Payload>,
    perform: (payload: Payload, app: App) => Promise<void>,
  ): JobHandler<App> {
    return { job, perform: async (payload, app) => perform(parsePayload(job, payload), app) }
  }
}

/** `enqueue` validates as well, so a mismatch means that another version enqueued the job. The job row keeps the message. */
function parsePayload<Payload>({ name, payload: schema }: Job<Payload>, payload: unknown): Payload {
  const result = schema.safeParse(payload)
  if (!result.success)
    throw new Error(`the payload of job ${name} does not match its schema: ${z.prettifyError(result.error)}`)
  return result.data
}

/** Stops the start unless each declared job has exactly one handler. */
export function refuseUnhandled<App>(
  declared: readonly Pick<Job, 'name'>[],
  handlers: readonly JobHandler<App>[],
): void {
  const count = new Map(declared.map(({ name }) => [name, 0]))
  for (const { job } of handlers) {
    const seen = count.get(job.name)
    if (seen === undefined) throw new Error(`job ${job.name} has a handler but is not declared by any room`)
    count.set(job.name, seen + 1)
  }
  if (declared.length > count.size) throw new Error('a job name is declared twice')
  for (const [name, handlerCount] of count) {
    if (handlerCount !== 1) throw new Error(`job ${name} has ${handlerCount} handlers; it needs exactly one`)
  }
}

const Ids = z.object({
  sessionId: z.int().optional(),
  turnId: z.string().optional(),
  triggerId: z.int().optional(),
})

/** What a job is about, by the names that payloads use for it. */
export function idsIn(payload: unknown): WorkContext {
  const { sessionId, turnId, triggerId } = Ids.safeParse(payload).data ?? {}
  return {
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(turnId !== undefined && { turn_id: turnId }),
    ...(triggerId !== undefined && { trigger_id: triggerId }),
  }
}
