import type { Room } from '../app.ts'
import { emptyTrash } from './empty-trash.ts'
import { emptyTrashJob } from './empty-trash-job.ts'
import { removeFiles } from './remove-files.ts'
import { removeFilesJob } from './remove-files-job.ts'
import { tidyClone } from './tidy-clone.ts'
import { tidyCloneJob } from './tidy-clone-job.ts'

export const workspaces: Room = {
  name: 'workspaces',
  jobs: [removeFilesJob, tidyCloneJob, emptyTrashJob],
  handlers: [removeFiles, tidyClone, emptyTrash],
}
