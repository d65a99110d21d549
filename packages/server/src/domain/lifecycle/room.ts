import type { Room } from '../app.ts'
import { artifactEndpoints } from './artifacts/endpoints.ts'
import { endpoints } from './endpoints.ts'
import { updateEndpoints } from './update/endpoints.ts'

export const lifecycle: Room = {
  name: 'lifecycle',
  endpoints: [...endpoints, ...updateEndpoints, ...artifactEndpoints],
}
