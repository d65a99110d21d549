import type { CreateElicitationRequest, PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import type { JsonObject } from '@yardmaster/contract/json'
import { type Ask, permissionQuestion } from '../question.ts'
import type { ToolUpdate } from './messages.ts'

/** Whether a person grants the call. Without anyone to ask it is granted. */
export async function isGranted(ask: Ask | undefined, update: ToolUpdate, signal: AbortSignal): Promise<boolean> {
  if (!ask) return true
  const { title, name, rawInput } = update
  const what = [title, rawInput === undefined ? undefined : JSON.stringify(rawInput)].filter(Boolean).join(' ')
  const toolName = name ?? update.kind ?? undefined
  const question = permissionQuestion({ message: `May the agent use ${toolName ?? 'a tool'}? ${what}`, toolName })
  return (await ask(question, signal)).action === 'accept'
}

/** A question of an MCP server that the agent passes on. */
export async function answerForm(ask: Ask, params: CreateElicitationRequest, signal: AbortSignal) {
  const { message, requestedSchema } = params as { message?: unknown; requestedSchema?: JsonObject } // the union has other modes
  const answer = await ask({ message: String(message), schema: requestedSchema ?? {} }, signal)
  return answer.action === 'expired' ? { action: 'decline' as const } : answer
}

/** Prefers an option for this call only: agents save a permanent one to their settings, some in the repository. */
export function answerPermission(options: readonly PermissionOption[], isGranted: boolean): RequestPermissionResponse {
  const answer = isGranted ? 'allow' : 'reject'
  const option =
    options.find(({ kind }) => kind === `${answer}_once`) ?? options.find(({ kind }) => kind === `${answer}_always`)
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
}
