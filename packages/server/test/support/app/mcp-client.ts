import type { TestApp } from './app.ts'
import { testKey } from './app.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came back
type Said = any

/** An agent's side of the protocol, by hand: one message a request. */
export function mcpClient(app: Pick<TestApp, 'send'>, { key = testKey, query = '' } = {}) {
  const post = (body: string, headers: Record<string, string> = { 'x-api-key': key }) =>
    app.send(`/mcp${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    })
  const ask = async (method: string, params: unknown = {}): Promise<Said> => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }))
    return response.json()
  }
  return {
    post,
    ask,
    tools: async (): Promise<Said[]> => (await ask('tools/list')).result.tools,
    /** What the tool said, and whether it said no. */
    call: async (name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> => {
      const { result, error } = await ask('tools/call', { name, arguments: args })
      return result ? { text: result.content[0].text, isError: result.isError } : { text: error.message, isError: true }
    },
  }
}
