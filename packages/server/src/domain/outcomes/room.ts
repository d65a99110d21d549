import { onEvent } from '../../platform/events/event.ts'
import type { Room } from '../app.ts'
import { sessionStatusChanged } from '../sessions/events.ts'
import { advanceAnalyses } from './advance.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

const statusesAtRest = ['needs_input', 'failed', 'archived']

export const outcomes: Room = {
  name: 'outcomes',
  endpoints,
  tools,
  periodic: [
    {
      name: 'advance_outcome_analyses',
      queue: 'default',
      intervalMs: 5000,
      runs: 'one_host',
      wakeOn: [onEvent(sessionStatusChanged, ({ to }) => statusesAtRest.includes(to))],
      run: advanceAnalyses,
    },
  ],
}
