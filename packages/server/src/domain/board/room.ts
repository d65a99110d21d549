import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

export const board: Room = { name: 'board', endpoints, tools }
