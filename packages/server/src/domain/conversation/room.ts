import type { Room } from '../app.ts'
import { drainQueue } from './drain-queue.ts'
import { enqueueEndpoint } from './enqueue-endpoint.ts'
import { followUpEndpoint } from './follow-up-endpoint.ts'
import { interruptEndpoint } from './interrupt-endpoint.ts'
import { messageParentEndpoint } from './message-parent-endpoint.ts'
import { tools } from './tools.ts'

export const conversation: Room = {
  name: 'conversation',
  endpoints: [followUpEndpoint, enqueueEndpoint, interruptEndpoint, messageParentEndpoint],
  tools,
  handlers: [drainQueue],
}
