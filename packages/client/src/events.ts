import type { StreamedEvent } from '@yardmaster/contract/events/kinds'
import { problemOf } from './problem.ts'
import { type Connection, headersOf, sleep, waitBeforeRetry } from './send.ts'

export type EventOptions = {
  /** Continue after this event. Without it the stream begins with the next event. */
  after?: number
  /** Only events of this session: its id or slug. */
  sessionId?: number | string
  signal?: AbortSignal
  /** Called for everything that arrives, heartbeats included, with the id after which a reader would continue. */
  onHeard?(lastId: number | undefined): void
  /** Called when the connection is lost, before the client reconnects. */
  onLost?(): void
}

/** The server sends a heartbeat every 15 s, so a connection that is silent for this long is dead. */
export const defaultSilenceMs = 40_000

/**
 * Follows the event stream until the signal is aborted. Reconnects when the connection ends or falls silent, and
 * continues after the last event it saw, so that none is missed. Throws if the server refuses the stream.
 */
export async function* followEvents(
  connection: Connection,
  { after, sessionId, signal, onHeard, onLost }: EventOptions,
  silenceMs: number,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const query = sessionId === undefined ? '' : `?session_id=${encodeURIComponent(sessionId)}`
  let lastId = after
  let failures = 0
  while (!signal?.aborted) {
    const attempt = new AbortController()
    const abort = (): void => attempt.abort()
    signal?.addEventListener('abort', abort)
    try {
      for await (const frame of readStream(connection, { query, lastId, attempt, silenceMs })) {
        failures = 0
        lastId = frame?.id ?? lastId
        onHeard?.(lastId)
        if (!frame) continue
        const { id, event, data } = frame
        // The contract declares every name and its payload.
        if (event !== undefined) yield { id, name: event, data: JSON.parse(data) } as StreamedEvent
      }
      onLost?.()
    } catch (error) {
      if (!signal?.aborted) onLost?.()
      failures += 1
      const waitMs = attempt.signal.aborted ? 0 : waitBeforeRetry(error, failures)
      if (waitMs === undefined) throw error
      await sleep(waitMs, signal)
    } finally {
      signal?.removeEventListener('abort', abort)
      attempt.abort()
    }
    // A server that shuts down ends the stream; do not ask it again at once.
    if (failures === 0) await sleep(500, signal)
  }
}

type Reading = { query: string; lastId: number | undefined; attempt: AbortController; silenceMs: number }
/** Without an event it only says which id to continue after. A transient event has no id. */
type Frame = { id: number | undefined; event: string | undefined; data: string }

async function* readStream(connection: Connection, { query, lastId, attempt, silenceMs }: Reading) {
  let timer = setTimeout(() => attempt.abort(), silenceMs)
  try {
    const response = await connection.fetch(connection.url + connection.place(`/api/v1/events${query}`), {
      headers: { ...headersOf(connection), ...(lastId !== undefined && { 'last-event-id': String(lastId) }) },
      signal: attempt.signal,
    })
    if (!response.ok || !response.body) throw await problemOf(response)
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    let rest = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(() => attempt.abort(), silenceMs)
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield parseFrame(block)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Undefined for a comment, which is a heartbeat. */
function parseFrame(block: string): Frame | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
    }),
  )
  const id = fields.get('id')
  const event = fields.get('event')
  if (id === undefined && event === undefined) return undefined
  return { id: id === undefined ? undefined : Number(id), event, data: fields.get('data') ?? '{}' }
}
