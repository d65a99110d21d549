import type { Room } from '../app.ts'
import { admitTurnsJob } from './admit-turns-job.ts'
import { drainQueueJob } from './drain-queue-job.ts'
import { endpoints } from './endpoints.ts'

export const inbox: Room = { name: 'inbox', endpoints, jobs: [admitTurnsJob, drainQueueJob] }
