/** Where work waits. Each queue has its own runner, so a slow kind of work never holds up another. */
export const queues = {
  agents: { concurrency: 4, about: 'admitting and starting turns, which then run in the background' },
  pollers: { concurrency: 3, about: 'short looks at outside systems' },
  triggers: { concurrency: 2, about: 'firing triggers, where latency is felt' },
  inference: { concurrency: 2, about: 'one-shot model calls: titles, summaries' },
  maintenance: { concurrency: 2, about: 'bulk work that may take minutes' },
  default: { concurrency: 4, about: 'everything else' },
} as const satisfies Record<string, { concurrency: number; about: string }>

export type QueueName = keyof typeof queues

export const queueNames = Object.keys(queues) as QueueName[] // the keys are what the type says
