import type { Room } from '../domain/app.ts'
import { catalog } from '../domain/catalog/room.ts'
import { categories } from '../domain/categories/room.ts'
import { clis } from '../domain/clis/room.ts'
import { conversation } from '../domain/conversation/room.ts'
import { inbox } from '../domain/inbox/room.ts'
import { search } from '../domain/search/room.ts'
import { sessions } from '../domain/sessions/room.ts'
import { settings } from '../domain/settings/room.ts'
import { turns } from '../domain/turns/room.ts'
import { eventStream } from '../surfaces/event-stream.ts'
import { metrics } from '../surfaces/metrics.ts'

/** The rooms of the house, in the order in which they may know each other, and what is offered beside them. */
export const modules: readonly Room[] = [
  settings,
  catalog,
  categories,
  inbox,
  sessions,
  conversation,
  search,
  turns,
  clis,
  eventStream,
  metrics,
]
