import { prune, type Room } from '../app.ts'
import { deleteOldAttempts } from './attempt-store.ts'
import { endDeadAttempts, recoverSignIns, signIn } from './drive-sign-in.ts'
import { endpoints } from './endpoints.ts'
import { signInJob } from './sign-in-job.ts'

export const loginAttempts: Room = {
  name: 'login-attempts',
  endpoints,
  jobs: [signInJob],
  handlers: [signIn],
  periodic: [
    {
      name: 'end_dead_sign_ins',
      queue: 'default',
      intervalMs: 30_000,
      runs: 'one_host',
      run: endDeadAttempts,
    },
    prune({
      name: 'prune_login_attempts',
      keeps: 'logs',
      deleteSome: ({ db }, slice) => deleteOldAttempts(db, slice),
    }),
  ],
  sealed: [{ table: 'login_attempts', id: 'id', columns: ['pasted_code'] }],
  recover: recoverSignIns,
}
