import type { Room } from '../app.ts'
import { fireSessionEvent, watchSessions } from './session-events.ts'

export const watches: Room = { name: 'watches', handlers: [fireSessionEvent], subscriptions: [watchSessions] }
