import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

export const catalog: Room = { name: 'catalog', endpoints, tools }
