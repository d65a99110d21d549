import { createInterface } from 'node:readline'

/**
 * A whole MCP server in one file: JSON-RPC, one message a line, over standard input and output. It needs nothing but
 * Node, so that the sample catalog has a server that runs anywhere.
 */
const fallbackZone = process.env.YARD_CLOCK_TIME_ZONE || 'UTC'

const tool = {
  name: 'now',
  description: 'Tells the current time.',
  inputSchema: {
    type: 'object',
    properties: { time_zone: { type: 'string', description: `Such as Europe/Berlin; ${fallbackZone} if absent.` } },
  },
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'yard-clock', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': callTool,
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerTo(line)
  if (answer) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n`)
}

function answerTo(line) {
  const request = parse(line)
  if (request === undefined) return { id: null, error: { code: -32700, message: 'not JSON' } }
  const { id, method, params } = request
  if (id === undefined) return undefined // a notification wants no answer
  if (!Object.hasOwn(methods, method)) return { id, error: { code: -32601, message: `no method ${method}` } }
  try {
    return { id, result: methods[method](params ?? {}) }
  } catch (error) {
    return { id, error: { code: -32602, message: error.message } }
  }
}

function parse(line) {
  try {
    return Object(JSON.parse(line))
  } catch {
    return undefined
  }
}

function callTool({ name, arguments: given }) {
  if (name !== tool.name) throw new Error(`no tool ${name}`)
  try {
    const timeZone = given?.time_zone || fallbackZone
    const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone }).format()
    return { content: [{ type: 'text', text }] }
  } catch {
    return { isError: true, content: [{ type: 'text', text: 'That is not a time zone.' }] }
  }
}
