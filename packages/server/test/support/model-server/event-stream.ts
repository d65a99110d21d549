import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlayedPart } from './play.ts'

/** Server-sent events to one client, which may disconnect at any time. */
export type EventStream = {
  /** Sends the data as JSON, unless the client has disconnected. */
  send(data: unknown, event?: string): void
  comment(): void
  /** Resolves early, with false, if the client disconnects. */
  pause(ms: number): Promise<boolean>
  end(): void
}

export function openEventStream(response: ServerResponse, headers: Record<string, string>): EventStream {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const write = (text: string): void => {
    if (!closed.signal.aborted) response.write(text)
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...headers,
  })
  return {
    send: (data, event) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data)
      write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
    },
    comment: () => write(': still here\n\n'),
    pause: (ms) => {
      return sleep(ms, true, { signal: closed.signal }).catch(() => false)
    },
    end: () => response.end(),
  }
}

// CLIs time out on a silent stream; the vendors send a keep-alive every few seconds.
const signOfLifeMs = 1000

/** Stalls the stream, with keep-alive events. */
export async function stall(stream: EventStream, seconds: number, signOfLife: () => void): Promise<void> {
  for (let leftMs = seconds * 1000; leftMs > 0; leftMs -= signOfLifeMs) {
    if (!(await stream.pause(Math.min(leftMs, signOfLifeMs)))) return
    signOfLife()
  }
}

// A few words per chunk, like a vendor's stream. Only a long text is sent slowly, so that a test can interrupt it.
const pieceCharacters = 24
const pauseMs = 5

/** Sends a text in chunks. */
export async function sendPieces(
  stream: EventStream,
  { kind, text }: { kind: PlayedPart['kind']; text: string },
  send: (piece: string) => void,
): Promise<void> {
  for (const piece of text.match(new RegExp(`[^]{1,${pieceCharacters}}`, 'gu')) ?? []) {
    send(piece)
    if (kind === 'long' && !(await stream.pause(pauseMs))) return
  }
}
