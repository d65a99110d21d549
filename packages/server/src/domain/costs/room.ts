import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

export const costs: Room = { name: 'costs', endpoints, tools }
