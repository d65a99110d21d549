import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

export const outcomes: Room = { name: 'outcomes', endpoints, tools }
