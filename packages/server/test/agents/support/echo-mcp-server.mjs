import { createInterface } from 'node:readline'

// A small MCP server on standard input and output. Tools: `echo` says its text again, `ask` asks the person at the other
// end and says what became of it, `variable` says what an environment variable holds.

const tools = [
  { name: 'echo', description: 'Says a text again.', inputSchema: textSchema('text') },
  { name: 'ask', description: 'Asks the person.', inputSchema: textSchema('question') },
  { name: 'variable', description: 'Reads a variable.', inputSchema: textSchema('name') },
]

/** Whoever waits for an answer of the other side, by the id of the question. */
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
