import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Looks at what is queued and lets run what may. On the agents queue: it must go on while the other queues are halted. */
export const admitTurnsJob = defineJob({ name: 'admit_turns', queue: 'agents', payload: z.object({}), attempts: 25 })
