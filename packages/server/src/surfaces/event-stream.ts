import { SessionRef } from '@yardmaster/contract/identifiers'
import { z } from 'zod'
import { type App, defineEndpoint, handleJob, type Room } from '../domain/app.ts'
import { findSession } from '../domain/sessions/session.ts'
import { openEventStream } from '../platform/events/event-stream.ts'
import { deleteEventsBefore } from '../platform/events/outbox-store.ts'
import { deleteOldFailures } from '../platform/events/subscription-store.ts'
import { ok } from '../platform/http/answer.ts'
import { asEventStream } from '../platform/http/register.ts'
import { defineJob } from '../platform/jobs/job.ts'

const keptDays = 3

const streamEvents = defineEndpoint({
  method: 'GET',
  path: '/events',
  tag: 'Events',
  summary: 'Follow what happens, as server-sent events',
  description:
    'Each event has an id; a reader that comes back with it in `Last-Event-ID` gets what it missed, up to three days back. Comments in between are heartbeats.',
  query: z.object({
    session_id: SessionRef.optional().meta({
      type: 'string',
      description: 'Only events of this session: its id or slug.',
    }),
  }),
  answers: { 200: 'event-stream' },
  refusals: ['not_found'],
  handle: async ({ query, headers, signal }, app) => {
    const session = query.session_id && (await findSession(app.db, query.session_id))
    const position = await startOf(app, headers['last-event-id'])
    const cursor = session ? { position, sessionId: session.id } : { position }
    return ok(asEventStream(openEventStream(app.events, cursor, { signal })))
  },
})

const pruneEventsJob = defineJob({ name: 'prune_events', queue: 'maintenance', payload: z.object({}), attempts: 5 })

const pruneEvents = handleJob(pruneEventsJob, async (_payload, app) => {
  await deleteEventsBefore(app.db, new Date(app.clock.now().getTime() - keptDays * 86_400_000))
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
