import { deleteDeadJobs } from '../../platform/jobs/queued-job-store.ts'
import { prune, type Room } from '../app.ts'
import { noteExpiredRecoveryMode } from './recovery-mode.ts'

export const queues: Room = {
  name: 'queues',
  periodic: [
    {
      name: 'note_expired_recovery_mode',
      // Recovery mode leaves this queue running.
      queue: 'agents',
      intervalMs: 30_000,
      runs: 'one_host',
      run: noteExpiredRecoveryMode,
    },
    prune({
      name: 'prune_dead_jobs',
      keeps: 'deadJobs',
      deleteSome: ({ db }, slice) => deleteDeadJobs(db, slice),
    }),
  ],
}
