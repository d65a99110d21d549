import { z } from 'zod'
import type { Child } from '../platform/process/launch.ts'

export type JsonRpc = {
  /** Rejects with `JsonRpcRefusal` when it is refused, with `JsonRpcSilence` when there is no answer. */
  call(method: string, params: unknown): Promise<unknown>
  notify(method: string, params?: unknown): void
  /** Says that we are done: the other side gets nothing more. */
  close(): void
  /** Settles when the other side has said its last word. */
  ended: Promise<void>
}

export type JsonRpcHandlers = {
  onNotification(method: string, params: unknown): void
  /** What it answers with. If it throws, the other side hears that we do not know the method. */
  onRequest(method: string, params: unknown): unknown
}

/** The other side answered with an error. */
export class JsonRpcRefusal extends Error {
  override readonly name = 'JsonRpcRefusal'
  readonly code: number

  constructor(problem: { code: number; message: string }) {
    super(problem.message)
    this.code = problem.code
  }
}

/** The other side ended, or takes longer than anybody waits. */
export class JsonRpcSilence extends Error {
  override readonly name = 'JsonRpcSilence'
}

/**
 * JSON-RPC 2.0 with a child, a message a line on its standard streams. It reads the child's lines to their end; a line
 * that makes no sense is passed over.
 */
export function jsonRpc(
  child: Pick<Child, 'stdin' | 'lines'>,
  { onNotification, onRequest, answerMs }: JsonRpcHandlers & { answerMs: number },
): JsonRpc {
  const waiting = new Map<number, { method: string; resolve(result: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  let hasEnded = false

  child.stdin?.on('error', () => undefined) // whoever is gone cannot be told anything; that it is gone says the rest
  const send = (message: Record<string, unknown>): void => {
    if (child.stdin?.writable) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  const answer = (id: string | number, method: string, params: unknown): void => {
    try {
      send({ id, result: onRequest(method, params) })
    } catch (error) {
      send({ id, error: { code: methodNotFound, message: error instanceof Error ? error.message : String(error) } })
    }
  }

  const hear = (message: Message): void => {
    if (message.method !== undefined && message.id !== undefined) answer(message.id, message.method, message.params)
    else if (message.method !== undefined) onNotification(message.method, message.params)
    else {
      const call = waiting.get(Number(message.id))
      waiting.delete(Number(message.id))
      if (message.error) call?.reject(new JsonRpcRefusal(message.error))
      else call?.resolve(message.result)
    }
  }

  const listen = async (): Promise<void> => {
    try {
      for await (const { text } of child.lines) {
        const message = read(text)
        if (message) hear(message)
      }
    } finally {
      hasEnded = true
      for (const { method, reject } of waiting.values())
        reject(new JsonRpcSilence(`It ended before it answered ${method}.`))
      waiting.clear()
    }
  }

  const ended = listen()
  ended.catch(() => undefined) // heard by whoever waits for it

  return {
    call(method, params) {
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        if (hasEnded) return reject(new JsonRpcSilence(`It ended before it was asked ${method}.`))
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new JsonRpcSilence(`It did not answer ${method} within ${answerMs / 1000} seconds.`))
        }, answerMs)
        waiting.set(id, {
          method,
          resolve: (result) => {
            clearTimeout(timer)
            resolve(result)
          },
          reject: (error) => {
            clearTimeout(timer)
            reject(error)
          },
        })
        send({ id, method, params })
      })
    },
    notify: (method, params) => send({ method, ...(params !== undefined && { params }) }),
    close: () => child.stdin?.end(),
    ended,
  }
}

const methodNotFound = -32601

const Message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})
type Message = z.infer<typeof Message>

function read(text: string): Message | undefined {
  try {
    return Message.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
