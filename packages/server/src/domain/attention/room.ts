import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const attention: Room = { name: 'attention', endpoints }
