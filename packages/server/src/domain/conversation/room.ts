import type { Room } from '../app.ts'
import { drainQueue } from './drain-queue.ts'
import { drainQueueJob } from './drain-queue-job.ts'
import { followUpEndpoint } from './follow-up-endpoint.ts'
import { keepHearts } from './keep-hearts.ts'
import { messageEndpoints } from './message-endpoints.ts'
import { messageParentEndpoint } from './message-parent-endpoint.ts'

export const conversation: Room = {
  name: 'conversation',
  endpoints: [followUpEndpoint, messageParentEndpoint, ...messageEndpoints],
  jobs: [drainQueueJob],
  handlers: [drainQueue],
  onWorkerStart: async (app) => keepHearts(app),
}
