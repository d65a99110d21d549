import { z } from 'zod'
import type { JsonSchema } from '../http/openapi.ts'

/** A tool as it is offered. */
export type OfferedTool = { name: string; description: string; inputSchema: JsonSchema }

/** What a tool said, or why it did not do what it was asked for. */
export type ToolAnswer = { text: string; isError: boolean }

export type ToolBox = {
  about: { name: string; version: string; instructions: string }
  list(): OfferedTool[]
  /** Undefined when there is no such tool. */
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer | undefined>
}

export type RpcAnswer = { jsonrpc: '2.0'; id: RpcId; result: unknown } | RpcError
type RpcError = { jsonrpc: '2.0'; id: RpcId; error: { code: number; message: string } }
type RpcId = string | number | null

/** The newest that we speak comes first; a caller that wants another is offered that one. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

const Message = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
})

/** We ask nothing, so an answer is to nobody's question; it is let pass. */
const Answer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.never().optional(),
})

const Call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) })

/**
 * One message of the Model Context Protocol without a connection to remember: each stands for itself. Undefined for what
 * wants no answer.
 */
export async function answerMessage(received: unknown, tools: ToolBox): Promise<RpcAnswer | undefined> {
  const { data: message } = Message.safeParse(received)
  if (!message)
    return Answer.safeParse(received).success
      ? undefined
      : rpcError(idOf(received), -32_600, 'Not a JSON-RPC 2.0 request')
  const { id, method } = message
  const params = message.params ?? {}
  if (id === undefined) return undefined
  switch (method) {
    case 'initialize':
      return rpcResult(id, introduction(params, tools))
    case 'ping':
      return rpcResult(id, {})
    case 'tools/list':
      return rpcResult(id, { tools: tools.list() })
    case 'tools/call':
      return callTool(id, params, tools)
    default:
      return rpcError(id, -32_601, `Method not found: ${method.slice(0, 100)}`)
  }
}

function rpcError(id: RpcId, code: number, message: string): RpcError {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function rpcResult(id: RpcId, result: unknown): RpcAnswer {
  return { jsonrpc: '2.0', id, result }
}

function idOf(received: unknown): RpcId {
  const id: unknown = Reflect.get(Object(received), 'id')
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function introduction({ protocolVersion }: Record<string, unknown>, { about }: ToolBox): unknown {
  const { instructions, ...serverInfo } = about
  return {
    protocolVersion: protocolVersions.find((known) => known === protocolVersion) ?? protocolVersions[0],
    capabilities: { tools: {} },
    serverInfo,
    instructions,
  }
}

async function callTool(id: string | number, params: unknown, tools: ToolBox): Promise<RpcAnswer> {
  const { data: call } = Call.safeParse(params)
  if (!call) return rpcError(id, -32_602, 'A call needs the name of a tool, and its arguments as an object')
  const answer = await tools.call(call.name, call.arguments)
  if (!answer) return rpcError(id, -32_602, `Unknown tool: ${call.name.slice(0, 100)}`)
  return rpcResult(id, { content: [{ type: 'text', text: answer.text }], isError: answer.isError })
}
