import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const subagents: Room = { name: 'subagents', endpoints }
