import type { Room } from '../app.ts'
import { searchEndpoint } from './endpoints.ts'
import { keepIndex } from './keep-index.ts'

export const search: Room = {
  name: 'search',
  endpoints: [searchEndpoint],
  onWorkerStart: async (app) => keepIndex(app),
}
