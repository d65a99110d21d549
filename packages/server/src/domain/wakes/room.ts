import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

export const wakes: Room = { name: 'wakes', endpoints, tools }
