import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../../src/platform/db/database.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { defineEvent, type PlacedEvent } from '../../../src/platform/events/event.ts'
import { type Events, openEvents } from '../../../src/platform/events/events.ts'
import { openPostgresSignals } from '../../../src/platform/events/postgres-signals.ts'
import type { Signals } from '../../../src/platform/events/signals.ts'
import { openTestDatabase } from '../jobs/job-host.ts'
import { silentLog } from '../log/silent-log.ts'

export const wordPublished = defineEvent({ name: 'word.published', payload: z.object({ word: z.string() }) })

export type EventHost = { db: Database; events: Events; signals: Signals }

/** The event relay of one host, closed when the test finishes. */
export async function openEventHost(url: string, openSignals = postgresSignals, connections = 12): Promise<EventHost> {
  const { db, pool } = openTestDatabase(url, connections)
  const signals = await openSignals({ url, pool })
  onTestFinished(() => signals.close())
  const events = await openEvents({ db, signals, log: silentLog })
  onTestFinished(() => events.close())
  return { db, events, signals }
}

function postgresSignals({ url, pool }: { url: string; pool: ReturnType<typeof openTestDatabase>['pool'] }) {
  return openPostgresSignals({ connection: { connectionString: url }, pool, log: silentLog })
}

export function publishWord(
  { db, events }: Pick<EventHost, 'db' | 'events'>,
  word: string,
  sessionId?: number,
): Promise<void> {
  return transact(db, (tx) =>
    events.publish(tx, wordPublished, { ...(sessionId !== undefined && { sessionId }), payload: { word } }),
  )
}

/** Collects every event that a follower receives, in order. */
export function follow(events: Events): { placed: PlacedEvent[]; words(): string[]; stop(): void } {
  const placed: PlacedEvent[] = []
  const stop = events.follow({ onEvents: (batch) => placed.push(...batch), onClosed: () => undefined })
  return { placed, words: () => placed.map(wordOf), stop }
}

export function wordOf({ payload }: PlacedEvent): string {
  return wordPublished.payload.parse(payload).word
}
