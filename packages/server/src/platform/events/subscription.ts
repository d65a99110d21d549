import type { Transaction } from '../db/database.ts'
import type { QueueName } from '../jobs/queues.ts'
import type { EventKind, PlacedEvent } from './event.ts'

/**
 * A durable subscription: its handler sees every event of its kinds, in order, on one host at a time. The handler runs
 * in the transaction that moves the cursor, so what it writes there happens exactly once; effects outside the database
 * happen at least once. It must be short: work that takes more than a few seconds belongs in a job that it enqueues.
 */
export type Subscription<App> = {
  name: string
  /** Pausing this queue pauses the subscription; the events wait. */
  queue: QueueName
  /** Where a new subscription starts: with the next event, or with the oldest event that retention has kept. */
  startsAt: 'now' | 'beginning'
  kinds: readonly EventKind[]
  /** Attempts for one event, after which the event is recorded as failed and skipped. */
  attempts: number
  handle(app: App, tx: Transaction, event: PlacedEvent): Promise<void>
}

/** An event of one of the kinds; `name` tells them apart. */
export type EventOf<Kind> =
  Kind extends EventKind<infer Payload, infer Name>
    ? { name: Name; position: number; sessionId: number | null; payload: Payload; createdAt: Date }
    : never

type Declaration<App, Kinds extends readonly EventKind[]> = Omit<Subscription<App>, 'kinds' | 'attempts' | 'handle'> & {
  to: Kinds
  attempts?: number
  handle(app: App, tx: Transaction, event: EventOf<Kinds[number]>): Promise<void>
}

/** With the delays between them, a failing event holds up those after it for about fifteen seconds. */
const defaultAttempts = 5

export function subscribing<App>() {
  return function defineSubscription<const Kinds extends readonly EventKind[]>({
    to,
    attempts = defaultAttempts,
    handle,
    ...rest
  }: Declaration<App, Kinds>): Subscription<App> {
    return {
      ...rest,
      kinds: to,
      attempts,
      handle: (app, tx, { name, position, session_id: sessionId, payload, created_at: createdAt }) => {
        const kind = to.find((each) => each.name === name)
        if (!kind) throw new Error(`subscription ${rest.name} does not handle ${name}`)
        const event = { name, position, sessionId, payload: kind.payload.parse(payload), createdAt }
        return handle(app, tx, event as EventOf<Kinds[number]>) // the name and the schema it was parsed by agree
      },
    }
  }
}
