import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { keepHearts } from './send-due-heartbeats.ts'

export const heartbeats: Room = { name: 'heartbeats', endpoints, onWorkerStart: async (app) => keepHearts(app) }
