import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const board: Room = { name: 'board', endpoints }
