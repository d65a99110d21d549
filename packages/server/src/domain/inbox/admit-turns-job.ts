import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Dispatches queued turns that fit the limit. On the agents queue, so that it runs while other queues are paused. */
export const admitTurnsJob = defineJob({ name: 'admit_turns', queue: 'agents', payload: z.object({}), attempts: 25 })
