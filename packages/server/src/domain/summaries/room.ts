import { onEvent } from '../../platform/events/event.ts'
import type { Room } from '../app.ts'
import { statusSummaryChanged } from '../sessions/events.ts'
import { removeLeftovers } from './ask-agent.ts'
import { endpoints } from './endpoints.ts'
import { writeNextSummary } from './summarise.ts'
import { tools } from './tools.ts'

export const summaries: Room = {
  name: 'summaries',
  endpoints,
  tools,
  recover: removeLeftovers,
  periodic: [
    {
      name: 'write_status_summaries',
      queue: 'inference',
      // Also how long a summary waits after its host died and its lease expired.
      intervalMs: 10_000,
      runs: 'every_host',
      // Each run is an agent process.
      concurrency: 2,
      wakeOn: [onEvent(statusSummaryChanged, ({ state }) => state === 'pending')],
      run: writeNextSummary,
    },
  ],
}
