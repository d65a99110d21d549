import type { AnyMessage, AnyNotification, Stream } from '@agentclientprotocol/sdk'
import type { Child } from '../../platform/process/launch.ts'
import type { Line } from '../../platform/process/line-stream.ts'
import { quote } from '../quote.ts'
import { AgentGone, AgentTrouble } from './agent-errors.ts'

/** A picture in a tool's answer comes as one line. */
export const maxMessageBytes = 16 * 1024 * 1024

export type StreamEars = {
  onActivity(): void
  onNotice(sentence: string): void
  /**
   * What the agent says and does, in the order in which it does. Nothing more is read before it settles; if it throws, that
   * ends the stream.
   */
  onNews(params: unknown): void | Promise<void>
}

/**
 * A message a line, both ways, on an agent's standard streams. Some agents print there what is no message; it is passed
 * over. The stream fails with `AgentGone` when the agent has said its last word.
 *
 * News are taken out here. The library would hold them against the protocol of its own day and print on our console what
 * does not fit, and they could arrive after the answer that they came before.
 */
export function messageStream(child: Pick<Child, 'lines' | 'stdin'>, ears: StreamEars): Stream {
  const read = messageReader(ears)
  child.stdin?.on('error', () => undefined) // an agent that is gone cannot be told anything; its end says the rest
  return {
    readable: new ReadableStream({
      async pull(controller) {
        for (;;) {
          const { value: line, done } = await child.lines.next()
          if (done) return controller.error(new AgentGone())
          ears.onActivity()
          const message = read(line)
          if (message && isNews(message)) await ears.onNews(message.params)
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

function isNews(message: AnyMessage): message is AnyNotification {
  return 'method' in message && message.method === 'session/update' && !('id' in message)
}

function messageReader({ onNotice }: Omit<StreamEars, 'onNews'>): (line: Line) => AnyMessage | undefined {
  let hasComplained = false
  return ({ text, truncatedBytes }) => {
    if (truncatedBytes > 0) {
      passOver(text, Buffer.byteLength(text) + truncatedBytes)
      onNotice(`A message of the agent was longer than ${maxMessageBytes} bytes and is missing in the transcript.`)
      return undefined
    }
    const message = parse(text)
    if (message === undefined && text.trim() !== '' && !hasComplained) {
      hasComplained = true
      onNotice(`The agent prints what is no message of the protocol; it is passed over: ${quote(text)}`)
    }
    return message
  }
}

/** News can be missed. Whatever else it was, somebody waits for it, and would wait for ever. */
function passOver(beginning: string, sizeBytes: number): void {
  if (/^.{0,200}"method"\s*:\s*"session\/update"/s.test(beginning)) return
  throw new AgentTrouble(
    'agent_error',
    `The agent sent a message of ${sizeBytes} bytes; ${maxMessageBytes} are allowed.`,
  )
}

function parse(text: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    // What is in it is checked by the connection, which answers what makes no sense with an error.
    return 'method' in value || 'id' in value ? (value as AnyMessage) : undefined
  } catch {
    return undefined
  }
}
