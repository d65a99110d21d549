import { onEvent } from '../../platform/events/event.ts'
import { accountsChanged } from '../accounts/events.ts'
import type { Room } from '../app.ts'
import { followFiles } from './follow-files.ts'

export const hostLogins: Room = {
  name: 'host-logins',
  periodic: [
    {
      // At once after a change: a person's CLI that uses a spent token first is signed out.
      name: 'follow_host_logins',
      queue: 'default',
      intervalMs: 5 * 60_000,
      runs: 'every_host',
      wakeOn: [onEvent(accountsChanged)],
      run: followFiles,
    },
  ],
}
