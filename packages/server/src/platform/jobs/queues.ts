/** Each queue has its own runner, so that slow jobs of one queue never hold up another. */
export const queues = {
  agents: { concurrency: 4, about: 'admitting and starting turns, which then run in the background' },
  pollers: { concurrency: 3, about: 'short requests to external systems' },
  triggers: { concurrency: 2, about: 'triggers and heartbeats, where latency matters' },
  inference: { concurrency: 2, about: 'one-shot model calls: titles, summaries' },
  maintenance: { concurrency: 2, about: 'bulk work that may take minutes' },
  default: { concurrency: 4, about: 'everything else' },
} as const satisfies Record<string, { concurrency: number; about: string }>

export type QueueName = keyof typeof queues

export const queueNames = Object.keys(queues) as QueueName[] // Object.keys loses the key type
