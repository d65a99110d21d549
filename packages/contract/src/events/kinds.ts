import type { z } from 'zod'
import { sessionSeen } from '../attention/events.ts'
import { backlogChanged } from '../backlog/events.ts'
import { budgetsChanged } from '../budgets/events.ts'
import { categoriesChanged } from '../categories/events.ts'
import { elicitationRaised, elicitationResolved } from '../elicitations/events.ts'
import { notificationCreated, notificationsChanged } from '../notifications/events.ts'
import { sessionCreated, sessionDeleted, sessionStatusChanged, statusSummaryChanged } from '../sessions/events.ts'
import { settingsChanged } from '../settings/events.ts'
import { eventsMissed } from './missed.ts'

/** Every kind of event that the stream carries. */
export const eventKinds = [
  backlogChanged,
  budgetsChanged,
  categoriesChanged,
  elicitationRaised,
  elicitationResolved,
  eventsMissed,
  notificationCreated,
  notificationsChanged,
  sessionCreated,
  sessionDeleted,
  sessionSeen,
  sessionStatusChanged,
  settingsChanged,
  statusSummaryChanged,
] as const

type Kind = (typeof eventKinds)[number]

/** An event as the stream delivers it. `id` is what a reader sends as `Last-Event-ID` to continue after it. */
export type StreamedEvent = {
  [Each in Kind as Each['name']]: {
    id: number
    name: Each['name']
    /** The payload, the session it is about, and when it happened. */
    data: z.output<Each['payload']> & { session_id: number | null; at: string }
  }
}[Kind['name']]
