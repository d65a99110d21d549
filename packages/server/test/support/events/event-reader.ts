import { onTestFinished } from 'vitest'
import { testKey } from '../app/app.ts'
import { recordOperation } from '../app/operation-coverage.ts'
import { eventually } from '../vitest/eventually.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an event carries
export type ReceivedEvent = { id: number; event: string; data: any }

/** A client of the server-sent event stream. Disconnects when the test finishes. */
export type EventReader = {
  status: number
  headers: Headers
  events: ReceivedEvent[]
  /** Those without an id, which are not stored. */
  transient: ReceivedEvent[]
  comments: string[]
  /** Waits for a matching event. Events that already arrived count too. */
  find(matches: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>
  /** Resolves when the stream closes: `ended` for a regular end, `cut` for a broken connection. */
  over: Promise<'ended' | 'cut'>
  close(): void
}

export async function openReader(
  url: string,
  options: { lastEventId?: string; after?: number | string; sessionId?: number | string; key?: string } = {},
): Promise<EventReader> {
  const { lastEventId, after, sessionId, key = testKey } = options
  const disconnect = new AbortController()
  onTestFinished(() => disconnect.abort())
  const query = new URLSearchParams({
    ...(sessionId !== undefined && { session_id: String(sessionId) }),
    ...(after !== undefined && { after: String(after) }),
  })
  const response = await fetch(`${url}/api/v1/events?${query}`, {
    headers: { 'x-api-key': key, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: disconnect.signal,
  })
  if (response.ok) recordOperation('events.stream')
  const events: ReceivedEvent[] = []
  const transient: ReceivedEvent[] = []
  const comments: string[] = []
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) parseFrame(frame, { events, transient, comments })
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    events,
    transient,
    comments,
    find: async (matches) => {
      const found = await eventually(
        async () => [...events, ...transient].find(matches),
        (event) => event !== undefined,
      )
      if (!found) throw new Error('eventually returned without a match')
      return found
    },
    over: read().then(
      () => 'ended',
      () => 'cut',
    ),
    close: () => disconnect.abort(),
  }
}

function parseFrame(
  frame: string,
  { events, transient, comments }: Pick<EventReader, 'events' | 'transient' | 'comments'>,
): void {
  if (frame.startsWith(':')) {
    comments.push(frame.slice(1).trim())
    return
  }
  const fields = Object.fromEntries(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  )
  const into = fields.id === undefined ? transient : events
  into.push({ id: Number(fields.id), event: fields.event ?? '', data: JSON.parse(fields.data ?? 'null') })
}
