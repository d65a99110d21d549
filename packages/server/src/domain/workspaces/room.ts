import type { Room } from '../app.ts'
import { emptyTrash } from './empty-trash.ts'
import { emptyTrashJob } from './empty-trash-job.ts'
import { removeFiles } from './remove-files.ts'
import { removeFilesJob } from './remove-files-job.ts'
import { rereadUsage, sweepUsage } from './reread-usage.ts'
import { rereadUsageJob } from './reread-usage-job.ts'
import { tidyClone } from './tidy-clone.ts'
import { tidyCloneJob } from './tidy-clone-job.ts'

export const workspaces: Room = {
  name: 'workspaces',
  jobs: [removeFilesJob, tidyCloneJob, emptyTrashJob, rereadUsageJob],
  handlers: [removeFiles, tidyClone, emptyTrash, rereadUsage],
  periodic: [
    {
      name: 'sweep_usage',
      queue: 'maintenance',
      // An idle run costs one query.
      intervalMs: 5000,
      runs: 'one_host',
      run: sweepUsage,
    },
  ],
}
