import type { Room } from '../app.ts'
import { noteAlive } from './host-store.ts'

export const hosts: Room = {
  name: 'hosts',
  periodic: [
    {
      // Belongs to no queue: other hosts take over the turns of a host that stops reporting.
      name: 'report_host_alive',
      queue: null,
      intervalMs: 5000,
      runs: 'every_host',
      run: (app) => noteAlive(app.control, app.home.hostId),
    },
  ],
}
