import type { AnyMessage, AnyNotification, Stream } from '@agentclientprotocol/sdk'
import { parseJson } from '../../platform/parse-json.ts'
import type { Child } from '../../platform/process/launch.ts'
import type { Line } from '../../platform/process/line-stream.ts'
import { quote } from '../quote.ts'
import { AgentError, AgentGone } from './agent-errors.ts'

/** A tool result with an image is one line. */
export const maxMessageBytes = 16 * 1024 * 1024

export type StreamCallbacks = {
  onActivity(): void
  onNotice(sentence: string): void
  /** Gets session updates in order. The next message is read after it settles; if it throws, the stream ends. */
  onUpdate(params: unknown): void | Promise<void>
}

/**
 * One message per line on the agent's standard streams. Ignores lines that are not messages, which some agents print. The stream
 * fails with `AgentGone` when the agent's output ends.
 *
 * Session updates do not reach the library. It would validate them by its own version of the protocol and print mismatches to
 * the console, and it could deliver them after the answer that they precede.
 */
export function messageStream(child: Pick<Child, 'lines' | 'stdin'>, callbacks: StreamCallbacks): Stream {
  const read = messageReader(callbacks)
  child.stdin?.on('error', () => undefined) // the end of the output reports that the agent is gone
  return {
    readable: new ReadableStream({
      async pull(controller) {
        for (;;) {
          const { value: line, done } = await child.lines.next()
          if (done) return controller.error(new AgentGone())
          callbacks.onActivity()
          const message = read(line)
          if (message && isUpdate(message)) await callbacks.onUpdate(message.params)
          else if (message) return controller.enqueue(message)
        }
      },
    }),
    writable: new WritableStream({
      write(message) {
        if (child.stdin?.writable) child.stdin.write(`${JSON.stringify(message)}\n`)
      },
    }),
  }
}

function isUpdate(message: AnyMessage): message is AnyNotification {
  return 'method' in message && message.method === 'session/update' && !('id' in message)
}

function messageReader({ onNotice }: Omit<StreamCallbacks, 'onUpdate'>): (line: Line) => AnyMessage | undefined {
  let hasWarned = false
  return ({ text, truncatedBytes }) => {
    if (truncatedBytes > 0) {
      rejectUnlessUpdate(text, Buffer.byteLength(text) + truncatedBytes)
      onNotice(`A message of the agent exceeded ${maxMessageBytes} bytes and is missing in the transcript.`)
      return undefined
    }
    const message = parse(text)
    if (message === undefined && text.trim() !== '' && !hasWarned) {
      hasWarned = true
      onNotice(`The agent prints text that is not a protocol message; Yardmaster ignores it: ${quote(text)}`)
    }
    return message
  }
}

/** A lost update is tolerable. A lost request or answer would leave the other side waiting forever. */
function rejectUnlessUpdate(beginning: string, sizeBytes: number): void {
  if (/^.{0,200}"method"\s*:\s*"session\/update"/s.test(beginning)) return
  throw new AgentError('agent_error', `The agent sent a message of ${sizeBytes} bytes; ${maxMessageBytes} are allowed.`)
}

function parse(text: string): AnyMessage | undefined {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // Safe: the connection validates the content and answers invalid messages with an error.
  return 'method' in value || 'id' in value ? (value as AnyMessage) : undefined
}
