import * as contract from '@yardmaster/contract/events/endpoints'
import { z } from 'zod'
import { type App, bind, handleJob, type Room } from '../domain/app.ts'
import { findSession } from '../domain/sessions/session.ts'
import { openEventStream } from '../platform/events/event-stream.ts'
import { deleteEventsBefore } from '../platform/events/outbox-store.ts'
import { deleteOldFailures } from '../platform/events/subscription-store.ts'
import { ok } from '../platform/http/answer.ts'
import { asEventStream } from '../platform/http/register.ts'
import { defineJob } from '../platform/jobs/job.ts'

const keptDays = 3

const streamEvents = bind(contract.streamEvents, async ({ query, headers, signal }, app) => {
  const session = query.session_id && (await findSession(app.db, query.session_id))
  const position = await startOf(app, headers['last-event-id'])
  const cursor = session ? { position, sessionId: session.id } : { position }
  return ok(asEventStream(openEventStream(app.events, cursor, { signal })))
})

const pruneEventsJob = defineJob({ name: 'prune_events', queue: 'maintenance', payload: z.object({}), attempts: 5 })

const pruneEvents = handleJob(pruneEventsJob, async (_payload, app) => {
  // By the database's clock, which dates the events: a host whose clock is ahead would delete new ones.
  const { now } = await app.events.retention()
  await deleteEventsBefore(app.db, new Date(now.getTime() - keptDays * 86_400_000))
  await deleteOldFailures(app.db)
})

export const eventStream: Room = {
  name: 'event stream',
  endpoints: [streamEvents],
  jobs: [pruneEventsJob],
  handlers: [pruneEvents],
  cron: [{ schedule: '17 * * * *', job: pruneEventsJob }],
}

/** The position after which the client reads. A `Last-Event-ID` that is not ours, or from another database, means now. */
async function startOf(app: App, lastEventId: string | string[] | undefined): Promise<number> {
  const newest = await app.events.lastPosition()
  if (typeof lastEventId !== 'string' || !/^\d{1,15}$/.test(lastEventId)) return newest
  return Math.min(Number(lastEventId), newest)
}
