import type { Room } from '../app.ts'
import { noteAlive } from '../inbox/inbox.ts'
import { admitTurns } from './admit.ts'
import { keepWatch } from './keep-watch.ts'
import { recover } from './recover.ts'
import { runTurn } from './run-turn.ts'
import { runTurnJob } from './run-turn-job.ts'

export const turns: Room = {
  name: 'turns',
  jobs: [runTurnJob],
  handlers: [admitTurns, runTurn],
  onWorkerStart: async (app) => {
    await recover(app)
    await noteAlive(app.db, app.home.hostId)
    keepWatch(app)
  },
}
