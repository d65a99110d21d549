import type { Room } from '../app.ts'
import { removeLeftovers } from './ask-agent.ts'
import { endpoints } from './endpoints.ts'
import { keepSummaries } from './keep-summaries.ts'

export const summaries: Room = {
  name: 'summaries',
  endpoints,
  onWorkerStart: async (app) => {
    await removeLeftovers(app)
    keepSummaries(app)
  },
}
