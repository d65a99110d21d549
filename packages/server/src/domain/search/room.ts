import type { Room } from '../app.ts'
import { searchEndpoint } from './endpoints.ts'
import { tools } from './tools.ts'
import { updateIndex } from './update-index.ts'

export const search: Room = {
  name: 'search',
  endpoints: [searchEndpoint],
  tools,
  periodic: [
    {
      name: 'update_search_index',
      queue: 'maintenance',
      // An idle run costs two queries of an empty table.
      intervalMs: 2000,
      runs: 'one_host',
      run: updateIndex,
    },
  ],
}
