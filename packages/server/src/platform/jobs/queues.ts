/**
 * Each queue has its own runner, so that slow jobs of one queue never hold up another. Where someone waits for what an event
 * starts, a job that begins `lateAfterSeconds` after it was due is logged.
 */
export const queues = {
  agents: { concurrency: 4, about: 'admitting and starting turns, which then run in the background' },
  pollers: { concurrency: 3, lateAfterSeconds: 120, about: 'short requests to external systems' },
  triggers: { concurrency: 2, lateAfterSeconds: 120, about: 'triggers and heartbeats, where latency matters' },
  inference: { concurrency: 2, about: 'one-shot model calls: titles, summaries' },
  pushes: { concurrency: 2, about: 'pushes to browsers, whose services may hang' },
  maintenance: { concurrency: 2, about: 'bulk work that may take minutes' },
  default: { concurrency: 4, about: 'everything else' },
} as const satisfies Record<string, { concurrency: number; lateAfterSeconds?: number; about: string }>

export type QueueName = keyof typeof queues

/** How many jobs of each queue a host runs at once. */
export type JobThreads = Readonly<Record<QueueName, number>>

export const queueNames = Object.keys(queues) as QueueName[] // Object.keys loses the key type

/** Its jobs start the turns of sessions, so no one changes or pauses them by hand. */
export const protectedQueue: QueueName = 'agents'

/** Halted by recovery mode. Turns go on, and pushes that wait are sent; new notifications are made when it ends. */
export const haltedQueues = [
  'pollers',
  'triggers',
  'inference',
  'maintenance',
  'default',
] as const satisfies readonly QueueName[]

export const liveQueues: readonly QueueName[] = queueNames.filter(
  (name) => !haltedQueues.some((halted) => halted === name),
)
