import type { CreateElicitationRequest, PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import type { JsonObject } from '@yardmaster/contract/json'
import { type Ask, elicitedQuestion, permissionQuestion } from '../question.ts'
import type { ToolUpdate } from './messages.ts'

/** Whether a person grants the call. Without anyone to ask it is granted. */
export async function isGranted(ask: Ask | undefined, update: ToolUpdate, signal: AbortSignal): Promise<boolean> {
  if (!ask) return true
  const { title, name, rawInput, content } = update
  const what = [title, rawInput === undefined ? undefined : JSON.stringify(rawInput)].filter(Boolean).join(' ')
  const toolName = name ?? update.kind ?? undefined
  const message = `May the agent use ${toolName ?? 'a tool'}? ${what}`
  const question = permissionQuestion({ message, toolName, input: { title, rawInput, content } })
  return (await ask(question, signal)).action === 'accept'
}

type Elicited = { message?: unknown; requestedSchema?: JsonObject; url?: string }

/** A question of an MCP server that the agent passes on. */
export async function answerForm(ask: Ask, params: CreateElicitationRequest, signal: AbortSignal) {
  const { message, requestedSchema, url } = params as Elicited // the union has other modes
  const question = elicitedQuestion({ message: String(message), schema: requestedSchema ?? {}, url })
  const answer = await ask(question, signal)
  return answer.action === 'expired' ? { action: 'decline' as const } : answer
}

/**
 * Prefers an option for this call only: agents save a permanent one to their settings, some in the repository. A person is
 * asked about one call, so `isAsked` rules out permitting more than that.
 */
export function answerPermission(
  options: readonly PermissionOption[],
  { isGranted, isAsked }: { isGranted: boolean; isAsked: boolean },
): RequestPermissionResponse {
  const kinds = isGranted ? ['allow_once', ...(isAsked ? [] : ['allow_always'])] : ['reject_once', 'reject_always']
  const option = kinds.map((kind) => options.find((each) => each.kind === kind)).find((found) => found !== undefined)
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
}
