import type { z } from 'zod'

/** Something that happened, under a name that others may rely on. A room declares its own in its `events.ts`. */
export type EventKind<Payload = unknown> = { name: string; payload: z.ZodType<Payload> }

export function defineEvent<Payload>(kind: EventKind<Payload>): EventKind<Payload> {
  return kind
}

/** An event as it is read back: placed in the one order everybody sees. */
export type PlacedEvent = {
  position: number
  name: string
  session_id: number | null
  payload: unknown
  created_at: Date
}
