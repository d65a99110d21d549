import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const catalog: Room = { name: 'catalog', endpoints }
