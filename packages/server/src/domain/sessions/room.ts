import type { Room } from '../app.ts'
import { artifactEndpoints } from './artifacts/endpoints.ts'
import { boardEndpoints } from './board/endpoints.ts'
import { endpoints } from './endpoints.ts'
import { hierarchyEndpoints } from './hierarchy/endpoints.ts'
import { keepCounts } from './keep-counts.ts'
import { lifecycleEndpoints } from './lifecycle/endpoints.ts'
import { logEndpoints } from './logs/endpoints.ts'
import { subagentEndpoints } from './subagents/endpoints.ts'
import { removeLeftovers } from './summary/ask-agent.ts'
import { keepSummaries } from './summary/keep-summaries.ts'
import { keepTitles } from './title/keep-titles.ts'
import { updateEndpoints } from './update/endpoints.ts'
import { emptyTrash } from './workspace/empty-trash.ts'
import { emptyTrashJob } from './workspace/empty-trash-job.ts'
import { removeFiles } from './workspace/remove-files.ts'
import { removeFilesJob } from './workspace/remove-files-job.ts'
import { tidyClone } from './workspace/tidy-clone.ts'
import { tidyCloneJob } from './workspace/tidy-clone-job.ts'

export const sessions: Room = {
  name: 'sessions',
  endpoints: [
    ...endpoints,
    ...hierarchyEndpoints,
    ...lifecycleEndpoints,
    ...updateEndpoints,
    ...boardEndpoints,
    ...artifactEndpoints,
    ...logEndpoints,
    ...subagentEndpoints,
  ],
  jobs: [removeFilesJob, tidyCloneJob, emptyTrashJob],
  handlers: [removeFiles, tidyClone, emptyTrash],
  onWorkerStart: async (app) => {
    await removeLeftovers(app)
    keepCounts(app)
    keepSummaries(app)
    keepTitles(app)
  },
}
