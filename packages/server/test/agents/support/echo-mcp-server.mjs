import { createInterface } from 'node:readline'

// A small MCP server on standard input and output. Tools: `echo` returns its text, `ask` sends an
// elicitation and returns the answer, `variable` returns the value of an environment variable.

const tools = [
  { name: 'echo', description: 'Says a text again.', inputSchema: textSchema('text') },
  { name: 'ask', description: 'Asks the person.', inputSchema: textSchema('question') },
  { name: 'variable', description: 'Reads a variable.', inputSchema: textSchema('name') },
]

/** The pending requests to the client, by id. */
const waiting = new Map()

const calls = {
  echo: ({ text }) => `echo: ${text}`,
  ask: async ({ question }) => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const answered = new Promise((resolve) => waiting.set('question', resolve))
    send({ id: 'question', method: 'elicitation/create', params: { message: question, requestedSchema: schema } })
    const { result } = await answered
    return `answered: ${result?.action} ${result?.content?.answer ?? ''}`
  },
  variable: ({ name }) => `${name}=${process.env[name] ?? ''}`,
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': async ({ name, arguments: given }) => ({
    content: [{ type: 'text', text: await calls[name](given) }],
  }),
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, ...answer } = JSON.parse(line)
  if (method === undefined) return waiting.get(id)?.(answer)
  if (id === undefined) return
  const act = methods[method]
  if (act) send({ id, result: await act(params ?? {}) })
  else send({ id, error: { code: -32601, message: `There is no ${method} here` } })
})

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function textSchema(name) {
  return { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }
}
