import type { Room } from '../app.ts'
import { admitTurns } from './admit.ts'
import { recover } from './recover.ts'
import { runTurn } from './run-turn.ts'
import { runTurnJob } from './run-turn-job.ts'

export const turns: Room = {
  name: 'turns',
  jobs: [runTurnJob],
  handlers: [admitTurns, runTurn],
  onWorkerStart: recover,
}
