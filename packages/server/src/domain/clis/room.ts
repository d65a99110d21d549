import { handleJob, type Room } from '../app.ts'
import { clearPackageCaches, keepLooking, lookAtClis } from './clis.ts'
import { clearPackageCachesJob, lookAtClisJob } from './clis-jobs.ts'
import { endpoints } from './endpoints.ts'

export const clis: Room = {
  name: 'clis',
  endpoints,
  jobs: [lookAtClisJob, clearPackageCachesJob],
  handlers: [
    handleJob(lookAtClisJob, (_payload, app) => lookAtClis(app)),
    handleJob(clearPackageCachesJob, (_payload, app) => clearPackageCaches(app)),
  ],
  onWorkerStart: async (app) => keepLooking(app),
}
