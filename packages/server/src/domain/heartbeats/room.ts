import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { sendDueHeartbeats } from './send-due-heartbeats.ts'
import { tools } from './tools.ts'

export const heartbeats: Room = {
  name: 'heartbeats',
  endpoints,
  tools,
  periodic: [
    {
      name: 'send_due_heartbeats',
      queue: 'triggers',
      // How late a heartbeat may be. The shortest heartbeat interval is 30 s.
      intervalMs: 10_000,
      runs: 'one_host',
      run: sendDueHeartbeats,
    },
  ],
}
