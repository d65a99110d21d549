import { chooseTool, searchForTool, type ToolCall, waitForSubagent } from './choose-tool.ts'
import type { ModelRequest } from './model-request.ts'
import { defaultUsage, type Failure, type Part, parseScript, type TokenUsage } from './script.ts'

/** An answer whose calls name tools of the request. */
export type PlayedAnswer = { parts: PlayedPart[]; usage: TokenUsage; isCut?: boolean }
export type PlayedPart = Exclude<Part, { kind: 'call' }> | { kind: 'call'; call: ToolCall }

export type Play = { answer: PlayedAnswer } | { failure: Failure }

/** Decides the answer to each request. Its only state is how often each scripted failure has happened. */
export function createPlayer(): (request: ModelRequest) => Play {
  const failures = new Map<string, number>()
  return (request) => {
    if (isSideCall(request)) return { answer: sideAnswer(request) }
    const wait = request.spawned === undefined ? undefined : waitForSubagent(request.spawned, request.tools)
    if (wait) return { answer: callOnly(wait) }

    const answer = parseScript(request.prompt)[request.answersGiven]
    // More calls than the script has: the CLI made one itself. End the turn.
    if (!answer) return { answer: { parts: [{ kind: 'say', text: 'Done.' }], usage: defaultUsage } }
    const last = answer.parts.at(-1)
    const search = last?.kind === 'call' ? searchForTool(last.call, request) : undefined
    if (search) return { answer: callOnly(search) }

    const place = JSON.stringify([request.conversation, request.prompt, request.promptCount, request.answersGiven])
    const failed = failures.get(place) ?? 0
    if (answer.failure && failed < answer.failure.times) {
      failures.set(place, failed + 1)
      return { failure: answer.failure.how }
    }
    // A later conversation with the same script fails again.
    failures.delete(place)
    return { answer: { ...answer, parts: answer.parts.map((part) => withTool(part, request)) } }
  }
}

/**
 * CLIs also ask the model for titles, summaries and a quota check. Such a request has no tools, asks for a single token, or asks
 * for a summary. It is not part of the script.
 */
export function isSideCall({ tools, maxOutputTokens, prompt }: ModelRequest): boolean {
  return tools.length === 0 || maxOutputTokens === 1 || summaryOrders.some((order) => order.test(prompt))
}

const summaryOrders = [
  /^Your task is to create a detailed summary of/m,
  /^You are performing a CONTEXT CHECKPOINT COMPACTION/m,
  /^\[SUGGESTION MODE:/m,
]

function sideAnswer({ instructions, prompt }: ModelRequest): PlayedAnswer {
  const wantsTitle = /\btitle\b/i.test(instructions) || /\btitle\b/i.test(prompt)
  const text = wantsTitle ? JSON.stringify({ title: 'Scripted session' }) : 'Noted.'
  return { parts: [{ kind: 'say', text }], usage: defaultUsage }
}

function callOnly(call: ToolCall): PlayedAnswer {
  return { parts: [{ kind: 'call', call }], usage: defaultUsage }
}

function withTool(part: Part, { tools }: ModelRequest): PlayedPart {
  if (part.kind !== 'call') return part
  const call = chooseTool(part.call, tools)
  if (call) return { kind: 'call', call }
  const wanted = part.call.kind === 'tool' ? part.call.name : part.call.kind
  return { kind: 'say', text: `No tool for ${wanted} is on offer.` }
}
