import type { z } from 'zod'

/** Something that happened, under a name that readers of the event stream rely on. */
export type EventKind<Name extends string = string, Payload = unknown> = { name: Name; payload: z.ZodType<Payload> }

export function defineEvent<const Name extends string, Payload>(
  kind: EventKind<Name, Payload>,
): EventKind<Name, Payload> {
  return kind
}
