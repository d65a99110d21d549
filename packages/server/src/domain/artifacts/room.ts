import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const artifacts: Room = { name: 'artifacts', endpoints }
