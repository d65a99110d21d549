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
  exit: () => process.exit(3),
  deaf: () => undefined,
}

const answers = {
  initialize: () => ({}),
  'thread/start': () => ({ thread: { id: threadId } }),
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

const replies = []
let prompt

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params, result, error } = JSON.parse(line)
    if (method === undefined) {
      replies.push(result?.decision ?? error?.message)
      if (replies.length === 2) end('failed', { message: `answered ${replies.join(' and ')}` })
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
