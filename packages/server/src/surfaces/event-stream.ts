import * as contract from '@yardmaster/contract/events/endpoints'
import { type App, bind, prune, type Room } from '../domain/app.ts'
import { findSession } from '../domain/sessions/session.ts'
import { openEventStream } from '../platform/events/event-stream.ts'
import { deleteOldEvents } from '../platform/events/outbox-store.ts'
import { deleteOldFailures } from '../platform/events/subscription-store.ts'
import { ok } from '../platform/http/answer.ts'
import { asEventStream } from '../platform/http/register.ts'

const streamEvents = bind(contract.streamEvents, async ({ query, headers, signal }, app) => {
  const session = query.session_id && (await findSession(app.db, query.session_id))
  const position = await startOf(app, readHeader(headers['last-event-id']) ?? query.after)
  const cursor = session ? { position, sessionId: session.id } : { position }
  return ok(asEventStream(openEventStream(app.events, cursor, { signal })))
})

export const eventStream: Room = {
  name: 'event stream',
  endpoints: [streamEvents],
  periodic: [
    prune({ name: 'prune_events', keeps: 'events', deleteSome: ({ db }, slice) => deleteOldEvents(db, slice) }),
    prune({
      name: 'prune_subscription_failures',
      keeps: { days: 30 },
      deleteSome: ({ db }, slice) => deleteOldFailures(db, slice),
    }),
  ],
}

/** The position after which the client reads. Without an id, or with one of another database, that is now. */
async function startOf(app: App, lastId: number | undefined): Promise<number> {
  const newest = await app.events.lastPosition()
  return Math.min(lastId ?? newest, newest)
}

/** Undefined for a `Last-Event-ID` that is not ours. It is not refused: a browser would never connect again. */
function readHeader(lastEventId: string | string[] | undefined): number | undefined {
  return typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined
}
