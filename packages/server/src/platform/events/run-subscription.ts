import type { Database } from '../db/database.ts'
import { isOutage } from '../db/outage.ts'
import { transact } from '../db/transact.ts'
import type { Periodic, RunResult } from '../jobs/periodic.ts'
import type { Log } from '../log/log.ts'
import { inWork, type WorkContext } from '../log/work-context.ts'
import type { Metrics } from '../metrics.ts'
import { onEvent, type PlacedEvent } from './event.ts'
import type { Events } from './events.ts'
import { lastPosition, selectRetention } from './outbox-store.ts'
import type { Subscription } from './subscription.ts'
import {
  insertFailure,
  insertSubscription,
  isWorthMoving,
  lockCursor,
  moveCursor,
  selectCursor,
  selectNextEvent,
  updateAttempt,
} from './subscription-store.ts'

export type SubscriptionHost = {
  db: Database
  events: Pick<Events, 'lastPosition'>
  metrics: Pick<Metrics, 'subscriptionEvents'>
  log: Log
  /** Removes secrets from the text of an error before it is stored. */
  redact(text: string): Promise<string>
}

/** How long the events of a host that died in the middle of one wait for another host. */
const intervalMs = 5000

/** Before the first event is handled, and before a request of this version can publish one that must not be missed. */
export async function openSubscription<App>(
  { db, events }: Pick<SubscriptionHost, 'db' | 'events'>,
  { name, kinds, startsAt }: Subscription<App>,
): Promise<void> {
  const position = startsAt === 'beginning' ? (await selectRetention(db)).prunedThrough : await events.lastPosition()
  await insertSubscription(db, { name, kinds: kinds.map((kind) => kind.name), position })
}

/**
 * A subscription as periodic work: each run handles one event. Every host runs it, and the lock on the cursor lets one
 * host at a time handle an event. The lock goes with the connection of a host that dies, so no lease has to expire.
 */
export function asPeriodic<App>(subscription: Subscription<App>, host: SubscriptionHost): Periodic<App> {
  return {
    name: `subscription:${subscription.name}`,
    queue: subscription.queue,
    intervalMs,
    runs: 'every_host',
    wakeOn: subscription.kinds.map((kind) => onEvent(kind)),
    run: (app) => handleNext(app, subscription, host),
  }
}

async function handleNext<App>(app: App, subscription: Subscription<App>, host: SubscriptionHost): Promise<RunResult> {
  const { db, metrics } = host
  const { name } = subscription
  if (!(await findWork(subscription, host))) return 'done'
  let attempted: PlacedEvent | undefined
  try {
    const result = await transact(db, async (tx): Promise<RunResult> => {
      attempted = undefined
      const cursor = await lockCursor(tx, name)
      if (!cursor || cursor.is_waiting) return 'done'
      const event = await nextEvent(tx, subscription, cursor.position)
      if (!event) return 'done'
      attempted = event
      await inWork(sessionOf(event), () => subscription.handle(app, tx, event))
      await moveCursor(tx, name, { from: cursor.position, to: event.position })
      return 'again'
    })
    if (result === 'again') metrics.subscriptionEvents.inc({ subscription: name, outcome: 'handled' })
    return result
  } catch (error) {
    if (!attempted || isOutage(error)) throw error
    const failure = { event: attempted, error }
    return inWork(sessionOf(attempted), () => recordFailure(subscription, host, failure))
  }
}

function sessionOf({ session_id }: PlacedEvent): WorkContext {
  return session_id === null ? {} : { session_id }
}

/** Looks without a lock, so that idle hosts write nothing. Also keeps the cursor ahead of retention. */
async function findWork<App>(subscription: Subscription<App>, { db, log }: SubscriptionHost): Promise<boolean> {
  const { name } = subscription
  const cursor = await selectCursor(db, name)
  if (!cursor || cursor.is_waiting) return false
  const { prunedThrough } = await selectRetention(db)
  if (cursor.position < prunedThrough) {
    log.error(
      { subscription: name, position: cursor.position, prunedThrough },
      'a subscription is older than event retention and may have missed events; it continues with the oldest event kept',
    )
    await moveCursor(db, name, { from: cursor.position, to: prunedThrough })
    return true
  }
  // The head is read first: an event that is placed between the two queries is above it and is not skipped.
  const head = await lastPosition(db)
  if (await nextEvent(db, subscription, cursor.position, head)) return true
  if (isWorthMoving(cursor, head)) await moveCursor(db, name, { from: cursor.position, to: head })
  return false
}

function nextEvent<App>(
  db: Parameters<typeof selectNextEvent>[0],
  { kinds }: Subscription<App>,
  after: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<PlacedEvent | undefined> {
  return selectNextEvent(db, { after, upTo, kinds: kinds.map((kind) => kind.name) })
}

const firstRetryDelayMs = 1000
const maxRetryDelayMs = 60_000

async function recordFailure<App>(
  { name, attempts: maxAttempts }: Subscription<App>,
  { db, metrics, log, redact }: SubscriptionHost,
  { event, error }: { event: PlacedEvent; error: unknown },
): Promise<RunResult> {
  const text = await redact(String(error))
  const about = { subscription: name, event: event.name, position: event.position }
  return transact(db, async (tx) => {
    const cursor = await lockCursor(tx, name)
    // Another host has handled the event meanwhile.
    if (!cursor || cursor.position >= event.position) return 'again'
    const attempts = cursor.attempts + 1
    if (attempts >= maxAttempts) {
      await insertFailure(tx, { subscription: name, event, error: text, attempts })
      await moveCursor(tx, name, { from: cursor.position, to: event.position })
      metrics.subscriptionEvents.inc({ subscription: name, outcome: 'failed' })
      log.error({ ...about, attempts, err: error }, 'a subscription gave up on an event and skips it')
      return 'again'
    }
    const retryDelayMs = Math.min(firstRetryDelayMs * 2 ** (attempts - 1), maxRetryDelayMs)
    await updateAttempt(tx, name, { attempts, retryDelayMs, error: text })
    metrics.subscriptionEvents.inc({ subscription: name, outcome: 'retried' })
    log.error(
      { ...about, attempts, err: error, retryDelayMs },
      'a subscription failed to handle an event; it tries again',
    )
    return { againAfterMs: retryDelayMs }
  })
}
