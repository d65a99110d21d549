import { PassThrough, type Readable } from 'node:stream'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { z } from 'zod'
import { type App, defineEndpoint, handleJob, type Room } from '../domain/app.ts'
import { findSession } from '../domain/sessions/session.ts'
import type { PlacedEvent } from '../platform/events/event.ts'
import { deleteEventsBefore } from '../platform/events/outbox-store.ts'
import { ok } from '../platform/http/answer.ts'
import { asEventStream } from '../platform/http/register.ts'
import { defineJob } from '../platform/jobs/job.ts'

/** Often enough that proxies keep the connection and a dead one is noticed. */
const heartbeatMs = 15_000
/** A reader this far behind is let go; it comes back with its `Last-Event-ID` and catches up from the database. */
const maxBacklogBytes = 1024 * 1024
const replayBatch = 500
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
    const sessionId = query.session_id && (await findSession(app.db, query.session_id)).id
    const position = readPosition(headers['last-event-id']) ?? (await app.events.lastPosition())
    return ok(openStream(app, { position, sessionId }, signal))
  },
})

const pruneEventsJob = defineJob({ name: 'prune_events', queue: 'maintenance', payload: z.object({}), attempts: 5 })

const pruneEvents = handleJob(pruneEventsJob, async (_payload, app) => {
  await deleteEventsBefore(app.db, new Date(app.clock.now().getTime() - keptDays * 86_400_000))
})

export const eventStream: Room = {
  name: 'event stream',
  endpoints: [streamEvents],
  jobs: [pruneEventsJob],
  handlers: [pruneEvents],
  cron: [{ schedule: '17 * * * *', job: pruneEventsJob }],
}

/** Follows first and replays second, so that nothing falls in between; what comes by both ways is sent once. */
function openStream(
  app: App,
  from: { position: number; sessionId: number | undefined },
  signal: AbortSignal,
): Readable {
  const stream = new PassThrough()
  const waiting: PlacedEvent[] = []
  let isReplaying = true
  let position = from.position

  const send = (event: PlacedEvent): void => {
    if (event.position <= position) return
    position = event.position
    if (from.sessionId === undefined || event.session_id === from.sessionId) stream.write(frame(event))
    if (stream.writableLength > maxBacklogBytes) close()
  }
  const stopFollowing = app.events.follow({
    onEvents: (events) => {
      if (isReplaying) waiting.push(...events)
      else events.forEach(send)
    },
    onClosed: () => stream.end(),
  })
  const heartbeats = setInterval(() => stream.write(': heartbeat\n\n'), heartbeatMs)
  const close = (): void => {
    stopFollowing()
    clearInterval(heartbeats)
    stream.destroy()
  }
  const replay = async (): Promise<void> => {
    for (;;) {
      const missed = await app.events.read({ position, sessionId: from.sessionId }, replayBatch)
      if (missed.length === 0) break
      missed.forEach(send)
    }
    isReplaying = false
    waiting.splice(0).forEach(send)
  }

  stream.write(': connected\n\n')
  stream.on('close', close)
  signal.addEventListener('abort', close)
  replay().catch(close)
  return asEventStream(stream)
}

function frame({ position, name, session_id, payload, created_at }: PlacedEvent): string {
  const data = { session_id, ...(payload as object), at: formatTimestamp(created_at) } // payloads are objects by their schemas
  return `id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

function readPosition(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
