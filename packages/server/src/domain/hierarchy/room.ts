import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const hierarchy: Room = { name: 'hierarchy', endpoints }
