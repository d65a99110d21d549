import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { removeFiles } from './workspace/remove-files.ts'
import { removeFilesJob } from './workspace/remove-files-job.ts'
import { tidyClone } from './workspace/tidy-clone.ts'
import { tidyCloneJob } from './workspace/tidy-clone-job.ts'

export const sessions: Room = {
  name: 'sessions',
  endpoints,
  jobs: [removeFilesJob, tidyCloneJob],
  handlers: [removeFiles, tidyClone],
}
