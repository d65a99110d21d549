import { endpoints as accounts } from './accounts/endpoints.ts'
import { endpoints as archive } from './archive/endpoints.ts'
import { endpoints as attachments } from './attachments/endpoints.ts'
import { endpoints as attention } from './attention/endpoints.ts'
import { endpoints as audit } from './audit/endpoints.ts'
import { endpoints as backlog } from './backlog/endpoints.ts'
import { endpoints as board } from './board/endpoints.ts'
import { endpoints as budgets } from './budgets/endpoints.ts'
import { endpoints as catalog } from './catalog/endpoints.ts'
import { endpoints as categories } from './categories/endpoints.ts'
import { endpoints as clis } from './clis/endpoints.ts'
import { endpoints as connectors } from './connectors/endpoints.ts'
import { endpoints as conversation } from './conversation/endpoints.ts'
import { endpoints as costs } from './costs/endpoints.ts'
import { endpoints as elicitations } from './elicitations/endpoints.ts'
import { endpoints as events } from './events/endpoints.ts'
import { endpoints as fires } from './fires/endpoints.ts'
import { endpoints as gates } from './gates/endpoints.ts'
import { endpoints as health } from './health/endpoints.ts'
import { endpoints as heartbeats } from './heartbeats/endpoints.ts'
import { endpoints as hierarchy } from './hierarchy/endpoints.ts'
import { endpoints as inbox } from './inbox/endpoints.ts'
import { endpoints as artifacts } from './lifecycle/artifact-endpoints.ts'
import { endpoints as lifecycle } from './lifecycle/endpoints.ts'
import { endpoints as logs } from './logs/endpoints.ts'
import { endpoints as metrics } from './metrics/endpoints.ts'
import { endpoints as notifications } from './notifications/endpoints.ts'
import { endpoints as outcomes } from './outcomes/endpoints.ts'
import { endpoints as people } from './people/endpoints.ts'
import { endpoints as pushSubscriptions } from './push-subscriptions/endpoints.ts'
import { endpoints as search } from './search/endpoints.ts'
import { endpoints as sessions } from './sessions/endpoints.ts'
import { endpoints as settings } from './settings/endpoints.ts'
import { endpoints as subagents } from './subagents/endpoints.ts'
import { endpoints as summaries } from './summaries/endpoints.ts'
import { endpoints as transcripts } from './transcripts/endpoints.ts'
import { endpoints as channels } from './triggers/channels.ts'
import { endpoints as triggers } from './triggers/endpoints.ts'
import { endpoints as wakes } from './wakes/endpoints.ts'
import { endpoints as webhooks } from './webhooks/endpoints.ts'

/** Every operation of the API. The client's methods are made from this list. */
export const operations = [
  ...settings,
  ...people,
  ...audit,
  ...catalog,
  ...categories,
  ...sessions,
  ...logs,
  ...transcripts,
  ...costs,
  ...budgets,
  ...hierarchy,
  ...subagents,
  ...attachments,
  ...inbox,
  ...board,
  ...summaries,
  ...elicitations,
  ...notifications,
  ...pushSubscriptions,
  ...lifecycle,
  ...artifacts,
  ...conversation,
  ...search,
  ...archive,
  ...accounts,
  ...connectors,
  ...heartbeats,
  ...triggers,
  ...backlog,
  ...fires,
  ...wakes,
  ...channels,
  ...webhooks,
  ...outcomes,
  ...gates,
  ...health,
  ...clis,
  ...attention,
  ...events,
  ...metrics,
] as const

export type Operation = (typeof operations)[number]
