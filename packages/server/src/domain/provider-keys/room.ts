import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const providerKeys: Room = {
  name: 'provider-keys',
  endpoints,
  sealed: [{ table: 'provider_keys', id: 'runtime', columns: ['key'] }],
}
