import { z } from 'zod'
import { asksForSignIn, missingServer } from '../mcp-problem.ts'
import { asSentence, CodexError } from './turn-end.ts'

/** The log sentence for a notification of codex's. Undefined for most notifications. */
export function noticeOf(method: string, params: unknown): string | undefined {
  return notices[method]?.(params)
}

const notices: Record<string, (params: unknown) => string | undefined> = {
  error: (params) => {
    const { data } = FailedCall.safeParse(params)
    if (!data?.willRetry) return undefined // the end of the turn reports it
    const { message, additionalDetails } = data.error
    return `Codex retries its call to the model. ${[message, additionalDetails ?? ''].filter(Boolean).map(asSentence).join(' ')}`
  },
  warning: (params) => sentence(Warning.safeParse(params).data?.message),
  configWarning: (params) => sentence(ConfigWarning.safeParse(params).data?.summary),
  'mcpServer/startupStatus/updated': (params) => {
    const { data } = McpStatus.safeParse(params)
    if (data?.status !== 'failed') return undefined
    if (unauthorizedServer(params) !== undefined) return missingServer(data.name, asksForSignIn)
    return [missingServer(data.name), ...(data.error ? [`Codex says: ${asSentence(data.error)}`] : [])].join(' ')
  },
  'model/rerouted': (params) => {
    const { data } = Rerouted.safeParse(params)
    return data && `The provider answers with the model ${data.toModel} instead of ${data.fromModel}.`
  },
}

/**
 * The server that demands a token, by a notification about its start. Codex 0.166.0 has a reason for a token that ran out, and only
 * a sentence of its own for a server without one. The whole sentence is compared: what a server says is quoted within another one.
 */
export function unauthorizedServer(params: unknown): string | undefined {
  const { data } = McpStatus.safeParse(params)
  if (data?.status !== 'failed') return undefined
  const { name, error, failureReason } = data
  const notLoggedIn = `The ${name} MCP server is not logged in. Run \`codex mcp login ${name}\`.`
  return failureReason === 'reauthenticationRequired' || error === notLoggedIn ? name : undefined
}

function sentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `Codex: ${asSentence(text)}`
}

/** A failed call to the model. It ends the turn unless codex retries it. */
export const FailedCall = z.object({ error: CodexError, willRetry: z.boolean(), threadId: z.string().optional() })

const Warning = z.object({ message: z.string() })
const ConfigWarning = z.object({ summary: z.string() })
const McpStatus = z.object({
  name: z.string(),
  status: z.string(),
  error: z.string().nullish(),
  failureReason: z.string().nullish(),
})
const Rerouted = z.object({ fromModel: z.string(), toModel: z.string() })
