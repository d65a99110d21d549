import type { Room } from '../app.ts'
import { keepTitles } from './keep-titles.ts'

export const titles: Room = { name: 'titles', onWorkerStart: async (app) => keepTitles(app) }
