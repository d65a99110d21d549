import type { SubagentFacts } from '../runtime.ts'
import type { TokenUsage, Update } from './messages.ts'
import { type Recorder, record } from './recorder.ts'
import type { ToolResult, ToolUse } from './tool-calls.ts'
import type { Transcript } from './transcript.ts'

export type Threads = Pick<Recorder, 'finish' | 'hasOutput'> & {
  /** `parentCall`: the tool call that started the subagent whose doing it is; nothing if it is the agent's own. */
  hear(update: Update, parentCall: string | undefined): void
}

type Writers = {
  transcript: Transcript
  openSubagent(callId: string, facts: SubagentFacts): Transcript
  model: string
  onNotice(sentence: string): void
  onActivity(): void
  onCall(call: ToolUse): void
  onResult(result: ToolResult): void
}

type Subagent = { transcript: Transcript; recorder: Recorder }

/**
 * Writes down the conversation, and what its subagents do in transcripts of their own. An agent tells of their calls and of
 * what they were asked and answered; what they say in between it keeps to itself.
 */
export function recordThreads({ transcript, openSubagent, model, ...ears }: Writers): Threads {
  const openCalls = new Map<string, ToolUse>()
  const subagents = new Map<string, Subagent>()

  const write = (to: Transcript): Recorder =>
    record({
      append: (entry) => {
        to.append(entry)
        ears.onActivity()
      },
      onNotice: ears.onNotice,
      model,
      onCall: (call) => {
        openCalls.set(call.id, call)
        ears.onCall(call)
      },
      onResult: (result) => {
        openCalls.delete(result.tool_use_id)
        conclude(result)
        ears.onResult(result)
      },
    })

  const begin = (callId: string): Subagent => {
    const input = openCalls.get(callId)?.input ?? {}
    const transcript = openSubagent(callId, {
      subagent_type: textOf(input.subagent_type),
      description: textOf(input.description) ?? textOf(input.title),
      tool_use_id: callId,
    })
    const prompt = textOf(input.prompt) ?? textOf(input.title)
    if (prompt !== null) transcript.append({ type: 'user', message: { role: 'user', content: prompt } })
    const subagent = { transcript, recorder: write(transcript) }
    subagents.set(callId, subagent)
    return subagent
  }

  /** The answer to the call is the subagent's word, if not its last: it may have been sent to work in the background. */
  const conclude = ({ tool_use_id: callId, content, is_error: isError }: ToolResult): void => {
    const subagent = subagents.get(callId)
    if (!subagent || isError || content === '') return
    const message = { role: 'assistant', model, content: [{ type: 'text', text: content }] }
    subagent.transcript.append({ type: 'assistant', message })
  }

  const main = write(transcript)
  return {
    hear(update, parentCall) {
      const thread = parentCall === undefined ? main : (subagents.get(parentCall) ?? begin(parentCall)).recorder
      thread.hear(update)
    },
    finish(usage?: TokenUsage) {
      for (const { recorder } of subagents.values()) recorder.finish()
      main.finish(usage)
    },
    hasOutput: main.hasOutput,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
