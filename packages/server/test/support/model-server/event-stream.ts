import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlayedPart } from './play.ts'

/** Server-sent events to one client, which may hang up at any line. */
export type EventStream = {
  /** The data as JSON; nothing once the client is gone. */
  send(data: unknown, event?: string): void
  comment(): void
  /** Resolves early, with false, when the client hangs up. */
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

// CLIs give up on a stream that is silent for long; the vendors send something every few seconds.
const signOfLifeMs = 1000

/** Stalls the stream, with a sign of life now and then. */
export async function stall(stream: EventStream, seconds: number, signOfLife: () => void): Promise<void> {
  for (let leftMs = seconds * 1000; leftMs > 0; leftMs -= signOfLifeMs) {
    if (!(await stream.pause(Math.min(leftMs, signOfLifeMs)))) return
    signOfLife()
  }
}

// As a vendor's stream looks: a few words a piece. Only a long text takes its time, so that it can be interrupted.
const pieceCharacters = 24
const pauseMs = 5

/** Sends a text in pieces. */
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
