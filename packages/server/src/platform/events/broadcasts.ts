import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import type { TransientEvent } from './publish.ts'
import type { Signals } from './signals.ts'

/** A transient event as it arrives. */
export type ReceivedEvent = z.output<typeof Received>

const Received = z.object({
  name: z.string(),
  session_id: z.int(),
  payload: z.record(z.string(), z.unknown()),
  at: z.string(),
})

const topic = 'transient_events'

/** At most four events a second of one name, session and subject: what waits meanwhile is merged. */
const intervalMs = 250
/** PostgreSQL carries less than 8,000 bytes in a notification. */
const maxBytes = 7000

/** Transient events of this host, to all hosts. All that wait are sent together, so that the cost does not grow with the sessions. */
export function openBroadcasts({
  signals,
  onEvents,
}: {
  signals: Signals
  onEvents(events: readonly ReceivedEvent[]): void
}) {
  const waiting = new Map<string, TransientEvent>()
  let timer: NodeJS.Timeout | undefined
  let sentAt = Number.NEGATIVE_INFINITY

  const flush = (): void => {
    timer = undefined
    sentAt = performance.now()
    const at = formatTimestamp(new Date())
    const events = [...waiting.values()].map(({ name, session_id, payload }) => ({ name, session_id, payload, at }))
    waiting.clear()
    // A signal may be lost: a reader that misses it reads on when the next one comes.
    for (const data of batchesOf(events)) void signals.announce(topic, data).catch(() => undefined)
  }
  const stopListening = signals.listen(topic, (data) => {
    const parsed = data === undefined ? undefined : z.array(Received).safeParse(parseJson(data))
    if (parsed?.success) onEvents(parsed.data)
  })
  return {
    send(event: TransientEvent): void {
      const key = JSON.stringify([event.name, event.session_id, event.subject])
      const earlier = waiting.get(key)
      waiting.set(key, earlier ? { ...event, payload: event.merge(earlier.payload, event.payload) } : event)
      timer ??= setTimeout(flush, Math.max(0, sentAt + intervalMs - performance.now())).unref()
    },
    close(): void {
      clearTimeout(timer)
      stopListening()
    },
  }
}

function batchesOf(events: readonly object[]): string[] {
  const batches: string[][] = [[]]
  let size = 0
  for (const event of events) {
    const text = JSON.stringify(event)
    const bytes = Buffer.byteLength(text) + 1
    if (bytes > maxBytes) continue
    if (size + bytes > maxBytes) {
      batches.push([])
      size = 0
    }
    batches.at(-1)?.push(text)
    size += bytes
  }
  return batches.filter((batch) => batch.length > 0).map((batch) => `[${batch.join(',')}]`)
}
