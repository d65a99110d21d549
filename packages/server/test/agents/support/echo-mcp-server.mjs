import { createInterface } from 'node:readline'

// A small MCP server on standard input and output. Tools: `echo` returns its text, `ask` sends an
// elicitation and returns the answer, `confirm` asks over HTTP instead, `variable` returns the value of an environment variable.

const tools = [
  { name: 'echo', description: 'Says a text again.', inputSchema: textSchema('text') },
  { name: 'ask', description: 'Asks the person.', inputSchema: textSchema('question') },
  { name: 'variable', description: 'Reads a variable.', inputSchema: textSchema('name') },
  { name: 'confirm', description: 'Asks the person over HTTP.', inputSchema: textSchema('question') },
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
  confirm: async ({ question }) => {
    const { ELICITATION_REQUEST_URL, ELICITATION_POLL_URL } = process.env
    const id = crypto.randomUUID()
    const raised = await fetch(ELICITATION_REQUEST_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        message: question,
        _meta: { 'com.echo/request-id': id, 'com.echo/tool-name': 'confirm' },
      }),
    })
    if (raised.status !== 201) return `could not ask: ${raised.status}`
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const poll = await fetch(`${ELICITATION_POLL_URL}/${id}`)
      if (!poll.ok) return `fatal: ${poll.status}`
      const { action, content } = await poll.json()
      if (action !== 'pending') return `confirmed: ${action} ${content?.word ?? ''}`
    }
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
