import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const categories: Room = { name: 'categories', endpoints }
