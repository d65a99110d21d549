import type { z } from 'zod'

/** Something that happened, under a stable name. A room declares its own kinds in its `events.ts`. */
export type EventKind<Payload = unknown, Name extends string = string> = { name: Name; payload: z.ZodType<Payload> }

export function defineEvent<Payload, const Name extends string>(
  kind: EventKind<Payload, Name>,
): EventKind<Payload, Name> {
  return kind
}

/** An event as it is read back, with its position in the one order that all readers see. */
export type PlacedEvent = {
  position: number
  name: string
  session_id: number | null
  payload: unknown
  created_at: Date
}

export type EventFilter = { matches(event: PlacedEvent): boolean }

/** Matches events of a kind, or only those whose payload satisfies `isWanted`. */
export function onEvent<Payload>(kind: EventKind<Payload>, isWanted?: (payload: Payload) => boolean): EventFilter {
  return {
    matches: ({ name, payload }) => {
      if (name !== kind.name) return false
      if (!isWanted) return true
      const { success, data } = kind.payload.safeParse(payload)
      return success && isWanted(data)
    },
  }
}
