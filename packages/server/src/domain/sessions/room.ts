import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { keepCounts } from './keep-counts.ts'

export const sessions: Room = { name: 'sessions', endpoints, onWorkerStart: async (app) => keepCounts(app) }
