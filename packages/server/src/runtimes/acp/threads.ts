import type { SubagentFacts } from '../runtime.ts'
import type { TokenUsage, Update } from './messages.ts'
import { type Recorder, record } from './recorder.ts'
import type { ToolCall, ToolResult } from './tool-calls.ts'
import type { Transcript } from './transcript.ts'

export type Threads = Pick<Recorder, 'finish' | 'hasOutput'> & {
  /** `parentCall` is the call that started the subagent, if the update is a subagent's. */
  handle(update: Update, parentCall?: string): void
  callOf: Recorder['callOf']
}

type Writers = {
  transcript: Transcript
  openSubagent(callId: string, facts: SubagentFacts): Transcript
  model: string
  onNotice(sentence: string): void
  onActivity(): void
  onCall(call: ToolCall): void
  onResult(result: ToolResult, call: ToolCall): void
}

type Subagent = { transcript: Transcript; recorder: Recorder }

/**
 * Writes the conversation's transcript and one for each subagent. An agent reports a subagent's prompt, calls and answer, but not
 * its texts in between.
 */
export function recordThreads({ transcript, openSubagent, model, ...callbacks }: Writers): Threads {
  const subagents = new Map<string, Subagent>()
  /** The recorder of each call. Only the first update about a subagent's call has to name the subagent. */
  const owners = new Map<string, Recorder>()
  /** The tasks of calls that may start a subagent. */
  const tasks = new Map<string, Task>()
  let isFinished = false

  const write = (to: Transcript): Recorder =>
    record({
      append: (entry) => {
        to.append(entry)
        callbacks.onActivity()
      },
      onNotice: callbacks.onNotice,
      model,
      onCall: (call) => {
        const task = taskIn(call)
        if (task) tasks.set(call.id, task)
        callbacks.onCall(call)
      },
      onResult: (result, call) => {
        recordAnswer(result)
        callbacks.onResult(result, call)
      },
    })

  const begin = (callId: string): Subagent => {
    const { prompt, ...facts } = tasks.get(callId) ?? noTask
    const transcript = openSubagent(callId, { ...facts, tool_use_id: callId })
    if (prompt !== null) transcript.append({ type: 'user', message: { role: 'user', content: prompt } })
    const subagent = { transcript, recorder: write(transcript) }
    subagents.set(callId, subagent)
    return subagent
  }

  /** The call's result is the subagent's answer. More may follow if the subagent works in the background. */
  const recordAnswer = ({ tool_use_id: callId, content, is_error: isError }: ToolResult): void => {
    const subagent = subagents.get(callId)
    if (!subagent || isError || content === '') return
    subagent.recorder.flush()
    const message = { role: 'assistant', model, content: [{ type: 'text', text: content }] }
    subagent.transcript.append({ type: 'assistant', message })
  }

  const main = write(transcript)

  const ownerOf = (update: Update, parentCall: string | undefined): Recorder => {
    const known = 'toolCallId' in update ? owners.get(update.toolCallId) : undefined
    if (known) return known
    const owner = parentCall === undefined ? main : (subagents.get(parentCall) ?? begin(parentCall)).recorder
    if ('toolCallId' in update) owners.set(update.toolCallId, owner)
    return owner
  }

  return {
    handle(update, parentCall) {
      if (!isFinished) ownerOf(update, parentCall).handle(update)
    },
    callOf: (update) => (owners.get(update.toolCallId) ?? main).callOf(update),
    finish(usage?: TokenUsage) {
      if (isFinished) return
      isFinished = true
      for (const { recorder } of subagents.values()) recorder.finish()
      main.finish(usage)
    },
    hasOutput: main.hasOutput,
  }
}

type Task = Omit<SubagentFacts, 'tool_use_id'> & { prompt: string | null }
const noTask: Task = { subagent_type: null, description: null, prompt: null }

function taskIn({ title, input }: ToolCall): Task | undefined {
  const { subagent_type, description, prompt } = Object(input) as Record<string, unknown>
  if (typeof prompt !== 'string' || prompt === '') return undefined
  return { subagent_type: textOf(subagent_type), description: textOf(description) ?? textOf(title), prompt }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
