import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const people: Room = { name: 'people', endpoints }
