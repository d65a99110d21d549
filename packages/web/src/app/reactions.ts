import { reactions as backlog } from '../features/backlog/reactions.ts'
import { reactions as board } from '../features/board/reactions.ts'
import { reactions as connectors } from '../features/connectors/reactions.ts'
import { reactions as costs } from '../features/costs/reactions.ts'
import { reactions as gates } from '../features/gates/reactions.ts'
import { reactions as health } from '../features/health/reactions.ts'
import { reactions as inference } from '../features/inference/reactions.ts'
import { reactions as needsYou } from '../features/needs-you/reactions.ts'
import { reactions as notifications } from '../features/notifications/reactions.ts'
import { reactions as outcomes } from '../features/outcomes/reactions.ts'
import { reactions as sessions } from '../features/sessions/reactions.ts'
import { reactions as settings } from '../features/settings/reactions.ts'
import { reactions as triggers } from '../features/triggers/reactions.ts'
import type { Reactions } from '../shared/live/live.tsx'
import { reactions as summary } from './summary.ts'

/** What each feature reads again when an event arrives. */
export const reactions: readonly Reactions[] = [
  summary,
  backlog,
  board,
  connectors,
  costs,
  gates,
  health,
  inference,
  needsYou,
  notifications,
  outcomes,
  sessions,
  settings,
  triggers,
]
