import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const settings: Room = { name: 'settings', endpoints }
