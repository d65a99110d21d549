import { z } from 'zod'
import type { QueueName } from './queues.ts'

/** A class of work. Apart from its handler, so that any room can enqueue what a later room performs. */
export type Job<Payload = unknown> = {
  name: string
  queue: QueueName
  payload: z.ZodType<Payload>
  /** How often it is tried in all; the wait between tries grows exponentially from a few seconds. */
  attempts: number
}

export function defineJob<Payload>(job: Job<Payload>): Job<Payload> {
  return job
}

/** One class's handler. Jobs are short: what lasts goes to the background, with a row that says so. Assume that it runs twice: the second run must be harmless. */
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

/** Whoever enqueues is held to the schema too, so this is a job of another version of us; the row keeps the sentence. */
function parsePayload<Payload>({ name, payload: schema }: Job<Payload>, payload: unknown): Payload {
  const result = schema.safeParse(payload)
  if (!result.success)
    throw new Error(`the payload of job ${name} is not what it declares: ${z.prettifyError(result.error)}`)
  return result.data
}

/** Each declared class has exactly one handler, or we do not start. */
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
  const twiceDeclared = declared.length - count.size
  if (twiceDeclared > 0) throw new Error('a job name is declared twice')
  for (const [name, handlerCount] of count) {
    if (handlerCount !== 1) throw new Error(`job ${name} has ${handlerCount} handlers; it needs exactly one`)
  }
}
