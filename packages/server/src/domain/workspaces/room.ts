import { prune, type Room } from '../app.ts'
import { emptyTrash } from './empty-trash.ts'
import { emptyTrashJob } from './empty-trash-job.ts'
import { pruneOrphans } from './prune-orphans.ts'
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
    prune({
      name: 'prune_orphaned_folders',
      keeps: 'orphans',
      runs: 'every_host',
      intervalMs: 6 * 3_600_000,
      deleteSome: async (app, slice) => {
        await pruneOrphans(app, slice)
        return 0
      },
    }),
  ],
}
