import type { TestApp } from './app.ts'
import { testKey } from './app.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came back
type JsonRpcAnswer = any

/** A hand-written MCP client: one message per request, so that a test controls every header and byte. */
export function mcpClient(app: Pick<TestApp, 'send'>, { key = testKey, query = '' } = {}) {
  const post = (body: string, headers: Record<string, string> = { 'x-api-key': key }) =>
    app.send(`/mcp${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    })
  const ask = async (method: string, params: unknown = {}): Promise<JsonRpcAnswer> => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }))
    return response.json()
  }
  return {
    post,
    ask,
    initialize: (protocolVersion = '2025-11-25') =>
      ask('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }),
    tools: async (): Promise<JsonRpcAnswer[]> => (await ask('tools/list')).result.tools,
    call: async (name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> => {
      const { result, error } = await ask('tools/call', { name, arguments: args })
      return result ? { text: result.content[0].text, isError: result.isError } : { text: error.message, isError: true }
    },
  }
}
