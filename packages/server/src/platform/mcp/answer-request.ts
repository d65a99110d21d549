import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import type { ToolBox } from './tool-box.ts'

/**
 * Answers one request of the Model Context Protocol: streamable HTTP, stateless, always as JSON. Importing this file loads
 * the SDK, so import it when the first request arrives.
 */
export async function answerRequest(
  body: unknown,
  { tools, protocolVersion }: { tools: ToolBox; protocolVersion: string | undefined },
): Promise<Response> {
  const message = withoutNullParams(body)
  const problem = problemOf(message)
  if (problem) return problem
  const server = serverFor(tools)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  // The SDK's class does not match its own interface under `exactOptionalPropertyTypes`.
  await server.connect(transport as Transport)
  try {
    return await transport.handleRequest(requestOf(protocolVersion), { parsedBody: message })
  } finally {
    await server.close()
  }
}

/** Shared although nothing uses it: otherwise the SDK builds one for each server, which doubles the cost of a request. */
const validator = new AjvJsonSchemaValidator()

/** The SDK refuses to reuse a stateless transport, so each request has a server of its own. */
function serverFor({ about: { instructions, ...about }, list, call }: ToolBox): Server {
  const server = new Server(about, { capabilities: { tools: {} }, instructions, jsonSchemaValidator: validator })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list() }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const answer = await call(params.name, params.arguments ?? {})
    if (!answer) throw new UnknownTool(params.name)
    return { content: [{ type: 'text', text: answer.text }], isError: answer.isError }
  })
  return server
}

/** Not an `McpError`, which puts its code in front of the message. */
class UnknownTool extends Error {
  readonly code = ErrorCode.InvalidParams
  constructor(name: string) {
    super(`Unknown tool: ${name.slice(0, 100)}`)
  }
}

/**
 * The HTTP server has authenticated the caller and parsed the body already. `accept` is fixed: the SDK rejects a caller that
 * does not list both types, but the answer is JSON in any case, and a plain `curl` should work.
 */
function requestOf(protocolVersion: string | undefined): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(protocolVersion !== undefined && { 'mcp-protocol-version': protocolVersion }),
    },
  })
}

/** Some clients send `params: null`, which JSON-RPC does not allow. */
function withoutNullParams(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Reflect.get(body, 'params') !== null) return body
  const { params: _, ...message } = body as { params: null } // checked on the line above
  return message
}

/**
 * Errors for which the SDK has the wrong code: it reports a parse error without an id where a message is not JSON-RPC, and an
 * internal error where parameters are missing.
 */
function problemOf(message: unknown): Response | undefined {
  const { data: parsed } = JSONRPCMessageSchema.safeParse(message)
  if (!parsed) return errorResponse(message, ErrorCode.InvalidRequest, 'Not a JSON-RPC 2.0 request')
  if (!('method' in parsed && 'id' in parsed)) return undefined
  const schema = requestSchemas.find(({ shape }) => shape.method.value === parsed.method)
  if (!schema || schema.safeParse(parsed).success) return undefined
  return errorResponse(message, ErrorCode.InvalidParams, `Invalid parameters of ${parsed.method}`)
}

const requestSchemas = [InitializeRequestSchema, ListToolsRequestSchema, CallToolRequestSchema]

function errorResponse(message: unknown, code: ErrorCode, text: string): Response {
  const id: unknown = Reflect.get(Object(message), 'id')
  return Response.json({
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code, message: text },
  })
}
