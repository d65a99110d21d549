import type { SubagentFacts } from '../runtime.ts'
import type { TokenUsage, Update } from './messages.ts'
import { type Recorder, record } from './recorder.ts'
import type { ToolCall, ToolResult } from './tool-calls.ts'
import type { Transcript } from './transcript.ts'

export type Threads = Pick<Recorder, 'finish' | 'hasOutput'> & {
  /** `parentCall`: the call that started the subagent whose doing it is, if the agent says so. */
  hear(update: Update, parentCall?: string): void
  look: Recorder['look']
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
 * Writes down the conversation, and what its subagents do in transcripts of their own. An agent tells of their calls and of
 * what they were asked and answered; what they say in between it keeps to itself.
 */
export function recordThreads({ transcript, openSubagent, model, ...ears }: Writers): Threads {
  const subagents = new Map<string, Subagent>()
  /** Whose call it is. Not every update about a subagent's call says whose it is, but the first does. */
  const owners = new Map<string, Recorder>()
  /** What calls that may start a subagent ask of it. */
  const errands = new Map<string, Errand>()
  let isFinished = false

  const write = (to: Transcript): Recorder =>
    record({
      append: (entry) => {
        to.append(entry)
        ears.onActivity()
      },
      onNotice: ears.onNotice,
      model,
      onCall: (call) => {
        const errand = errandIn(call)
        if (errand) errands.set(call.id, errand)
        ears.onCall(call)
      },
      onResult: (result, call) => {
        conclude(result)
        ears.onResult(result, call)
      },
    })

  const begin = (callId: string): Subagent => {
    const { prompt, ...facts } = errands.get(callId) ?? noErrand
    const transcript = openSubagent(callId, { ...facts, tool_use_id: callId })
    if (prompt !== null) transcript.append({ type: 'user', message: { role: 'user', content: prompt } })
    const subagent = { transcript, recorder: write(transcript) }
    subagents.set(callId, subagent)
    return subagent
  }

  /** The answer to the call is the subagent's word, if not its last: it may have been sent to work in the background. */
  const conclude = ({ tool_use_id: callId, content, is_error: isError }: ToolResult): void => {
    const subagent = subagents.get(callId)
    if (!subagent || isError || content === '') return
    subagent.recorder.pause()
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
    hear(update, parentCall) {
      if (!isFinished) ownerOf(update, parentCall).hear(update)
    },
    look: (update) => (owners.get(update.toolCallId) ?? main).look(update),
    finish(usage?: TokenUsage) {
      if (isFinished) return
      isFinished = true
      for (const { recorder } of subagents.values()) recorder.finish()
      main.finish(usage)
    },
    hasOutput: main.hasOutput,
  }
}

type Errand = Omit<SubagentFacts, 'tool_use_id'> & { prompt: string | null }
const noErrand: Errand = { subagent_type: null, description: null, prompt: null }

function errandIn({ title, input }: ToolCall): Errand | undefined {
  const { subagent_type, description, prompt } = Object(input) as Record<string, unknown>
  if (typeof prompt !== 'string' || prompt === '') return undefined
  return { subagent_type: textOf(subagent_type), description: textOf(description) ?? textOf(title), prompt }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
