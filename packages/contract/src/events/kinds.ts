import type { z } from 'zod'
import { accountNeedsReauth, accountsChanged, loginAttemptChanged, poolRecovered } from '../accounts/events.ts'
import { sessionSeen } from '../attention/events.ts'
import { backlogChanged } from '../backlog/events.ts'
import { boardReordered } from '../board/events.ts'
import { budgetsChanged } from '../budgets/events.ts'
import { categoriesChanged } from '../categories/events.ts'
import { connectorsChanged } from '../connectors/events.ts'
import { elicitationRaised, elicitationResolved } from '../elicitations/events.ts'
import { gateDecisionsChanged } from '../gates/events.ts'
import { healthChanged, queuedJobsChanged, recoveryModeChanged } from '../health/events.ts'
import { queueChanged, turnEnded, turnStarted } from '../inbox/events.ts'
import {
  notificationCreated,
  notificationsChanged,
  pushSubscriptionsChanged,
  pushSwitchChanged,
} from '../notifications/events.ts'
import { outcomeAnalysesChanged } from '../outcomes/events.ts'
import {
  sessionChanged,
  sessionCreated,
  sessionDeleted,
  sessionStatusChanged,
  statusSummaryChanged,
} from '../sessions/events.ts'
import { settingsChanged } from '../settings/events.ts'
import { signInsChanged } from '../sign-ins/events.ts'
import { transcriptAppended } from '../transcripts/events.ts'
import { triggersChanged } from '../triggers/events.ts'
import { eventsMissed } from './missed.ts'

/** Every kind of event that is stored, and replayed to a reader that was away. */
export const eventKinds = [
  accountNeedsReauth,
  accountsChanged,
  backlogChanged,
  boardReordered,
  budgetsChanged,
  categoriesChanged,
  connectorsChanged,
  elicitationRaised,
  elicitationResolved,
  eventsMissed,
  gateDecisionsChanged,
  healthChanged,
  loginAttemptChanged,
  notificationCreated,
  notificationsChanged,
  outcomeAnalysesChanged,
  poolRecovered,
  pushSubscriptionsChanged,
  pushSwitchChanged,
  queueChanged,
  queuedJobsChanged,
  recoveryModeChanged,
  sessionChanged,
  sessionCreated,
  sessionDeleted,
  sessionSeen,
  sessionStatusChanged,
  settingsChanged,
  signInsChanged,
  statusSummaryChanged,
  triggersChanged,
  turnEnded,
  turnStarted,
] as const

/** Kinds that only readers get who follow at the time. They have no id, and may be lost. */
export const transientKinds = [transcriptAppended] as const

/** The payload, the session it is about, and when it happened. */
type Data<Payload> = Payload & { session_id: number | null; at: string }

type Streamed<Kind extends { name: string; payload: z.ZodType }, Id> = {
  [Each in Kind as Each['name']]: { id: Id; name: Each['name']; data: Data<z.output<Each['payload']>> }
}[Kind['name']]

/** An event as the stream delivers it. `id` is what a reader sends as `Last-Event-ID` to continue after it; a transient one has none. */
export type StreamedEvent =
  | Streamed<(typeof eventKinds)[number], number>
  | Streamed<(typeof transientKinds)[number], undefined>
