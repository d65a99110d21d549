import type { Room } from '../app.ts'
import { admitTurns, keepAdmitting } from './admit.ts'
import { recover } from './recover.ts'
import { runTurn } from './run-turn.ts'
import { runTurnJob } from './run-turn-job.ts'

export const turns: Room = {
  name: 'turns',
  jobs: [runTurnJob],
  handlers: [admitTurns, runTurn],
  onWorkerStart: async (app) => {
    await recover(app)
    keepAdmitting(app)
  },
}
