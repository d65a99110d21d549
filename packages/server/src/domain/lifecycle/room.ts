import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { forkOnHost } from './fork.ts'
import { forkSessionJob } from './fork-session-job.ts'
import { handleOnHost } from './on-host.ts'
import { refreshOnHost } from './refresh.ts'
import { refreshTranscriptJob } from './refresh-transcript-job.ts'
import { restoreWorkspaceJob } from './restore-workspace-job.ts'
import { tools } from './tools.ts'
import { restoreOnHost } from './unarchive.ts'
import { updateEndpoints } from './update/endpoints.ts'

export const lifecycle: Room = {
  name: 'lifecycle',
  endpoints: [...endpoints, ...updateEndpoints],
  tools,
  jobs: [forkSessionJob, refreshTranscriptJob, restoreWorkspaceJob],
  handlers: [handleOnHost(forkOnHost), handleOnHost(refreshOnHost), handleOnHost(restoreOnHost)],
}
