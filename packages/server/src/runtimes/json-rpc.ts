import { z } from 'zod'
import { parseJson } from '../platform/parse-json.ts'
import type { Child } from '../platform/process/launch.ts'

export type JsonRpc = {
  /** Rejects with `JsonRpcError` if the peer answers with an error, with `JsonRpcNoAnswer` if it ends or times out. */
  call(method: string, params: unknown): Promise<unknown>
  notify(method: string, params?: unknown): void
  /** Closes the peer's input. */
  close(): void
  /** Settles when the peer's output ends. */
  ended: Promise<void>
}

export type JsonRpcHandlers = {
  onNotification(method: string, params: unknown): void
  /** Returns the result or a promise of it. If it fails, the peer gets a method-not-found error. */
  onRequest(method: string, params: unknown): unknown
}

/** The peer answered with an error. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number

  constructor(problem: { code: number; message: string }) {
    super(problem.message)
    this.code = problem.code
  }
}

/** The peer ended or did not answer in time. */
export class JsonRpcNoAnswer extends Error {
  override readonly name = 'JsonRpcNoAnswer'
}

/** JSON-RPC 2.0 with a child process, one message per line on its standard streams. Ignores lines that are not messages. */
export function jsonRpc(
  child: Pick<Child, 'stdin' | 'lines'>,
  { onNotification, onRequest, timeoutMs }: JsonRpcHandlers & { timeoutMs: number },
): JsonRpc {
  const pending = new Map<number, { method: string; resolve(result: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  let hasEnded = false

  child.stdin?.on('error', () => undefined) // the end of the output reports that the child is gone
  const send = (message: Record<string, unknown>): void => {
    if (child.stdin?.writable) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  const answer = async (id: string | number, method: string, params: unknown): Promise<void> => {
    try {
      send({ id, result: await onRequest(method, params) })
    } catch (error) {
      send({ id, error: { code: methodNotFound, message: error instanceof Error ? error.message : String(error) } })
    }
  }

  const receive = (message: Message): void => {
    if (message.method !== undefined && message.id !== undefined)
      void answer(message.id, message.method, message.params)
    else if (message.method !== undefined) onNotification(message.method, message.params)
    else {
      const call = pending.get(Number(message.id))
      pending.delete(Number(message.id))
      if (message.error) call?.reject(new JsonRpcError(message.error))
      else call?.resolve(message.result)
    }
  }

  const readAll = async (): Promise<void> => {
    try {
      for await (const { text } of child.lines) {
        const message = parseMessage(text)
        if (message) receive(message)
      }
    } finally {
      hasEnded = true
      for (const { method, reject } of pending.values())
        reject(new JsonRpcNoAnswer(`It ended before it answered ${method}.`))
      pending.clear()
    }
  }

  const ended = readAll()
  ended.catch(() => undefined) // the caller awaits `ended`; this only avoids an unhandled rejection

  return {
    call(method, params) {
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        if (hasEnded) return reject(new JsonRpcNoAnswer(`It ended before it was asked ${method}.`))
        const timer = setTimeout(() => {
          pending.delete(id)
          reject(new JsonRpcNoAnswer(`It did not answer ${method} within ${timeoutMs / 1000} seconds.`))
        }, timeoutMs)
        pending.set(id, {
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

function parseMessage(text: string): Message | undefined {
  return Message.safeParse(parseJson(text)).data
}
