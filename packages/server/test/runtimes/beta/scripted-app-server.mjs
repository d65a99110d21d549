import { createInterface } from 'node:readline'

// Imitates `codex app-server` and ends its turn as the prompt says, for failures that the real one seldom has.

const threadId = '01a1dda1-a740-7af1-9252-fcc77f284594'
let turnId = ''
let turnCount = 0

const retry = {
  error: {
    message: 'Reconnecting... 1/5',
    codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 429 } },
    additionalDetails: 'last status: 429 Too Many Requests',
  },
  willRetry: true,
}

const overloaded = {
  message: 'exceeded retry limit, last status: 529',
  codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 529 } },
}
const tooMany = {
  message: 'exceeded retry limit, last status: 429 Too Many Requests',
  codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } },
}

const turns = {
  'busy twice': () => (turnCount <= 2 ? end('failed', tooMany) : end('completed')),
  'overloaded once': () => (turnCount <= 1 ? end('failed', overloaded) : end('completed')),
  'always busy': () => end('failed', tooMany),
  spent: () => end('failed', { ...tooMany, message: '429: You exceeded your current quota' }),
  complete: () => end('completed'),
  // The provider asks for a very long wait.
  outage: () => tell('error', retry),
  recover: () => {
    tell('error', retry)
    tell('item/started', { item: {} })
    setTimeout(() => end('completed'), 300)
  },
  ask: () => {
    send({ id: 'q1', method: 'item/commandExecution/requestApproval', params: {} })
    send({ id: 'q2', method: 'something/new', params: {} })
  },
  // Every request that waits for a person; the turn then fails with all answers.
  'ask people': () => {
    expected = 6
    tell('item/started', { item: { type: 'fileChange', id: 'f1', changes: [{ path: 'a.txt' }, { path: 'b.txt' }] } })
    const ask = (id, method, params) => send({ id, method, params: { threadId, turnId, itemId: id, ...params } })
    ask('c1', 'item/commandExecution/requestApproval', { command: 'rm -r build', reason: 'to clean up' })
    ask('f1', 'item/fileChange/requestApproval', {})
    ask('p1', 'item/permissions/requestApproval', { permissions: { network: { enabled: true } } })
    const options = ['Red', 'Blue'].map((label) => ({ label, description: `${label} it is` }))
    const questions = [{ id: 'colour', header: 'Colour', question: 'Which colour?', options }]
    ask('u1', 'item/tool/requestUserInput', { questions })
    ask('m1', 'mcpServer/elicitation/request', {
      serverName: 'tracker',
      message: 'Allow tracker to run list?',
      _meta: { codex_approval_kind: 'mcp_tool_call' },
    })
    const requestedSchema = { type: 'object', properties: { project: { type: 'string' } } }
    ask('e1', 'mcpServer/elicitation/request', { serverName: 'tracker', message: 'Which project?', requestedSchema })
  },
  settings: () => end('failed', { message: `policy ${policy}` }),
  exit: () => process.exit(3),
  deaf: () => undefined,
}

const answers = {
  initialize: () => ({}),
  'thread/start': ({ approvalPolicy, config }) => {
    policy = approvalPolicy
    for (const [name, server] of Object.entries(config.mcp_servers ?? {})) void startServer(name, server)
    return { thread: { id: threadId } }
  },
  'turn/start': ({ input }) => {
    const [said] = input.map(({ text }) => text)
    // The prompt to continue runs the first prompt's script.
    prompt ??= said
    turnCount += 1
    turnId = `turn-${turnCount}`
    // Before the answer, like a turn that ends at once.
    if (prompt === 'at once') end('completed')
    else setImmediate(turns[prompt])
    return { turn: { id: turnId } }
  },
  'turn/interrupt': () => {
    setImmediate(() => end('interrupted'))
    return {}
  },
}

/** In the words and fields of codex 0.166.0. */
async function startServer(name, { url, http_headers: headers }) {
  const report = (status, error = null) =>
    tell('mcpServer/startupStatus/updated', { name, status, error, failureReason: null })
  report('starting')
  if (url === undefined) return report('ready')
  // The servers of the tests have certificates of their own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const accept = 'application/json, text/event-stream'
  const init = { method: 'POST', headers: { ...headers, accept, 'content-type': 'application/json' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { status, headers: answered } = await fetch(url, { ...init, body })
  if (status === 200) return report('ready')
  if (status === 401 && answered.has('www-authenticate'))
    return report('failed', `The ${name} MCP server is not logged in. Run \`codex mcp login ${name}\`.`)
  report('failed', `MCP client for \`${name}\` failed to start: unexpected server response: HTTP ${status}`)
}

const replies = []
let expected = 2
let policy
let prompt

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params, result, error } = JSON.parse(line)
    if (method === undefined) {
      replies.push(expected === 2 ? (result?.decision ?? error?.message) : JSON.stringify([id, result]))
      // People answer in any order.
      if (expected > 2) replies.sort()
      if (replies.length === expected) end('failed', { message: `answered ${replies.join(' and ')}` })
    } else if (id !== undefined) {
      const answer = answers[method]
      send(
        answer
          ? { id, result: answer(params) }
          : { id, error: { code: -32600, message: `no rollout found for ${method}` } },
      )
    }
  })
  .on('close', () => process.exit(0))

function end(status, error = null) {
  tell('turn/completed', { threadId: 'of a subagent', turn: { id: 'another', status: 'failed' } })
  tell('turn/completed', { threadId, turn: { id: turnId, status, error } })
}

function tell(method, params) {
  send({ method, params: { threadId, ...params } })
}

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
