import type { Room } from '../app.ts'
import { admitTurnsJob } from './admit-turns-job.ts'

export const inbox: Room = { name: 'inbox', jobs: [admitTurnsJob] }
