import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const logs: Room = { name: 'logs', endpoints }
