import type { Room } from '../app.ts'
import { endpoints, forPeople } from './endpoints.ts'
import { tools } from './tools.ts'

export const gates: Room = { name: 'gates', endpoints, forPeople, tools }
