import { onEvent } from '../../platform/events/event.ts'
import type { Room } from '../app.ts'
import { sessionStatusChanged } from '../sessions/events.ts'
import { endpoints } from './endpoints.ts'
import { deleteExpiredFlows } from './flow-store.ts'
import { sweepParked } from './parking.ts'

export const connectors: Room = {
  name: 'connectors',
  endpoints,
  sealed: [
    { table: 'mcp_oauth_flows', id: 'id', columns: ['client_secret', 'code_verifier'] },
    { table: 'mcp_oauth_clients', id: 'id', columns: ['client_secret'] },
  ],
  periodic: [
    {
      // A session that is parked while a person completes the authorization is not among those that the completion resumes.
      name: 'resume_authorized_sessions',
      queue: 'maintenance',
      intervalMs: 60_000,
      runs: 'one_host',
      wakeOn: [onEvent(sessionStatusChanged, ({ to }) => to === 'failed')],
      run: sweepParked,
    },
    {
      name: 'sweep_oauth_flows',
      queue: 'maintenance',
      intervalMs: 3_600_000,
      runs: 'one_host',
      run: ({ db }) => deleteExpiredFlows(db),
    },
  ],
}
