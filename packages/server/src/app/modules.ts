import { accounts } from '../domain/accounts/room.ts'
import { apiKeys } from '../domain/api-keys/room.ts'
import type { Room } from '../domain/app.ts'
import { archive } from '../domain/archive/room.ts'
import { artifacts } from '../domain/artifacts/room.ts'
import { attachments } from '../domain/attachments/room.ts'
import { attention } from '../domain/attention/room.ts'
import { audit } from '../domain/audit/room.ts'
import { backlog } from '../domain/backlog/room.ts'
import { board } from '../domain/board/room.ts'
import { budgets } from '../domain/budgets/room.ts'
import { catalog } from '../domain/catalog/room.ts'
import { categories } from '../domain/categories/room.ts'
import { chat } from '../domain/chat/room.ts'
import { clis } from '../domain/clis/room.ts'
import { connectors } from '../domain/connectors/room.ts'
import { conversation } from '../domain/conversation/room.ts'
import { costs } from '../domain/costs/room.ts'
import { credentials } from '../domain/credentials/room.ts'
import { elicitations } from '../domain/elicitations/room.ts'
import { fires } from '../domain/fires/room.ts'
import { forge } from '../domain/forge/room.ts'
import { gates } from '../domain/gates/room.ts'
import { heartbeats } from '../domain/heartbeats/room.ts'
import { hierarchy } from '../domain/hierarchy/room.ts'
import { hostLogins } from '../domain/host-logins/room.ts'
import { hosts } from '../domain/hosts/room.ts'
import { inbox } from '../domain/inbox/room.ts'
import { lifecycle } from '../domain/lifecycle/room.ts'
import { loginAttempts } from '../domain/login-attempts/room.ts'
import { logs } from '../domain/logs/room.ts'
import { maintenance } from '../domain/maintenance/room.ts'
import { notifications } from '../domain/notifications/room.ts'
import { outcomes } from '../domain/outcomes/room.ts'
import { people } from '../domain/people/room.ts'
import { providerKeys } from '../domain/provider-keys/room.ts'
import { pullRequests } from '../domain/pull-requests/room.ts'
import { queues } from '../domain/queues/room.ts'
import { search } from '../domain/search/room.ts'
import { sessions } from '../domain/sessions/room.ts'
import { settings } from '../domain/settings/room.ts'
import { signIns } from '../domain/sign-ins/room.ts'
import { subagents } from '../domain/subagents/room.ts'
import { summaries } from '../domain/summaries/room.ts'
import { titles } from '../domain/titles/room.ts'
import { transcripts } from '../domain/transcripts/room.ts'
import { triggers } from '../domain/triggers/room.ts'
import { turns } from '../domain/turns/room.ts'
import { wakes } from '../domain/wakes/room.ts'
import { watches } from '../domain/watches/room.ts'
import { workspaces } from '../domain/workspaces/room.ts'
import { eventStream } from '../surfaces/event-stream.ts'
import { metrics } from '../surfaces/metrics.ts'

/** The rooms, in the order in which they may import each other, then what is offered beside them. */
export const modules: readonly Room[] = [
  settings,
  people,
  hosts,
  queues,
  apiKeys,
  audit,
  credentials,
  catalog,
  categories,
  signIns,
  providerKeys,
  sessions,
  logs,
  transcripts,
  costs,
  gates,
  hierarchy,
  subagents,
  board,
  titles,
  attachments,
  inbox,
  workspaces,
  summaries,
  elicitations,
  notifications,
  lifecycle,
  budgets,
  conversation,
  search,
  archive,
  accounts,
  connectors,
  loginAttempts,
  hostLogins,
  heartbeats,
  turns,
  artifacts,
  triggers,
  backlog,
  outcomes,
  pullRequests,
  fires,
  wakes,
  chat,
  forge,
  watches,
  maintenance,
  clis,
  attention,
  eventStream,
  metrics,
]
