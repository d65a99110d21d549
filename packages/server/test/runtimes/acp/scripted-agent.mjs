import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { agent, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'

// A small agent that speaks the Agent Client Protocol and executes the lines of its prompt. It writes the requests it gets to
// `requests.jsonl` in its home, and its sessions beside it, so that it can resume them.
//
// SCRIPTED_ABILITIES  its capabilities: resume, load, http, system_prompt, options (models as configuration options),
//                     models (models in the older way)
// SCRIPTED_REFUSES    methods that it advertises and then rejects
// SCRIPTED_AUTH       `required`: no session before `authenticate`

const home = process.env.HOME ?? ''
const abilities = (process.env.SCRIPTED_ABILITIES ?? '').split(',')
const refused = (process.env.SCRIPTED_REFUSES ?? '').split(',')
const offers = (name) => (abilities.includes(name) ? {} : undefined)
let isSignedIn = process.env.SCRIPTED_AUTH !== 'required'
let isCancelled = false
let wake = () => undefined

mkdirSync(`${home}/sessions`, { recursive: true })

function recordRequest(method, params) {
  appendFileSync(`${home}/requests.jsonl`, `${JSON.stringify({ method, params })}\n`)
  if (refused.includes(method)) throw RequestError.methodNotFound(method)
}

const choices = ['small', 'large'].map((value) => ({ value, name: `The ${value} one` }))
const modes = ['careful', 'free']

function offer() {
  return {
    modes: { currentModeId: 'careful', availableModes: modes.map((id) => ({ id, name: id })) },
    ...(abilities.includes('options') && {
      configOptions: [
        { id: 'llm', name: 'Model', category: 'model', type: 'select', currentValue: 'small', options: choices },
      ],
    }),
    ...(abilities.includes('models') && {
      models: {
        currentModelId: 'small',
        availableModels: choices.map(({ value, name }) => ({ modelId: value, name })),
      },
    }),
  }
}

function resumeSession(method, params) {
  recordRequest(method, params)
  if (!existsSync(`${home}/sessions/${params.sessionId}`)) throw RequestError.resourceNotFound(params.sessionId)
  return offer()
}

async function prompt({ params, client }) {
  recordRequest('session/prompt', params)
  const { sessionId } = params
  isCancelled = false
  const texts = params.prompt.map(({ text }) => text)
  appendFileSync(`${home}/sessions/${sessionId}`, `${JSON.stringify(texts)}\n`)
  const update = (content) => client.notify('session/update', { sessionId, update: content })
  const chunk = (kind, text) => update({ sessionUpdate: `agent_${kind}_chunk`, content: { type: 'text', text } })
  const say = (text) => chunk('message', text)

  for (const line of (texts.at(-1) ?? '').split('\n')) {
    const [word = '', ...rest] = line.split(' ')
    const text = rest.join(' ')
    const act = {
      say: async () => {
        for (const piece of text.match(/.{1,5}/gs) ?? []) await say(piece)
      },
      think: () => chunk('thought', text),
      plan: () => update({ sessionUpdate: 'plan', entries: [{ content: text, priority: 'high', status: 'pending' }] }),
      run: async () => {
        const call = { toolCallId: randomUUID() }
        await update({ ...call, sessionUpdate: 'tool_call', title: 'Terminal', kind: 'execute', rawInput: {} })
        await update({ ...call, sessionUpdate: 'tool_call_update', title: text, rawInput: { command: text } })
        const content = [{ type: 'content', content: { type: 'text', text: `output of ${text}` } }]
        await update({ ...call, sessionUpdate: 'tool_call_update', status: 'completed', content })
      },
      delegate: async () => {
        const [subagent_type, command] = [rest[0], rest.slice(1).join(' ')]
        const parent = { toolCallId: randomUUID() }
        const child = { toolCallId: randomUUID(), _meta: { claudeCode: { parentToolUseId: parent.toolCallId } } }
        const answer = (text) => [{ type: 'content', content: { type: 'text', text } }]
        const rawInput = { subagent_type, description: 'A small task', prompt: `Please run ${command}` }
        await update({ ...parent, sessionUpdate: 'tool_call', title: 'Task', kind: 'think', rawInput })
        await update({ ...child, sessionUpdate: 'tool_call', title: command, kind: 'execute', rawInput: { command } })
        const content = answer(`output of ${command}`)
        await update({ ...child, sessionUpdate: 'tool_call_update', status: 'completed', content })
        const report = answer(`I ran ${command}`)
        await update({ ...parent, sessionUpdate: 'tool_call_update', status: 'completed', content: report })
      },
      begin: () => update({ sessionUpdate: 'tool_call', toolCallId: randomUUID(), title: text, status: 'in_progress' }),
      ask: async () => {
        const options = ['reject_once', 'allow_always', 'allow_once'].map((kind) => ({
          kind,
          optionId: `${kind}-id`,
          name: kind,
        }))
        const toolCall = { toolCallId: 'asked', title: text }
        const { outcome } = await client.request('session/request_permission', { sessionId, toolCall, options })
        await say(`got ${outcome.optionId ?? outcome.outcome}`)
      },
      tell: () => update(JSON.parse(text)),
      permit: async () => {
        const options = ['reject_once', 'allow_once'].map((kind) => ({ kind, optionId: `${kind}-id`, name: kind }))
        const question = { sessionId, toolCall: JSON.parse(text), options }
        const { outcome } = await client.request('session/request_permission', question)
        await say(`got ${outcome.optionId ?? outcome.outcome}`)
      },
      // Fails while its permission request is pending, and records the answer that arrives later.
      askandfail: async () => {
        const options = ['reject_once', 'allow_once'].map((kind) => ({ kind, optionId: `${kind}-id`, name: kind }))
        const question = { sessionId, toolCall: JSON.parse(text), options }
        client.request('session/request_permission', question).then((answer) => recordRequest('answered', answer))
        while (!existsSync('hook-input')) await sleep(20)
        throw new RequestError(-32000, 'It fails meanwhile')
      },
      question: async () => {
        const question = { sessionId, mode: 'form', message: text, requestedSchema: { type: 'object', properties: {} } }
        const { action } = await client.request('elicitation/create', question)
        await say(`got ${action}`)
      },
      file: () => client.request('fs/read_text_file', { sessionId, path: text }).catch((error) => say(error.message)),
      recall: () => say(readFileSync(`${home}/sessions/${sessionId}`, 'utf8')),
      environment: () => say(`${text}=${process.env[text] ?? ''}`),
      stream: async () => {
        while (!isCancelled) {
          await say('on and ')
          await Promise.race([sleep(20), new Promise((resolve) => (wake = resolve))])
        }
      },
      deaf: async () => {
        process.on('SIGTERM', () => undefined)
        await say('You cannot stop me.')
        setInterval(() => undefined, 1000)
        await new Promise(() => undefined)
      },
      error: () => {
        const [code, ...words] = rest
        throw new RequestError(Number(code), words.join(' '), { details: 'from the provider' })
      },
      crash: () => {
        process.stderr.write(`${text}\n`)
        process.exit(3)
      },
      hangup: async () => {
        setInterval(() => undefined, 1000)
        process.stdout.end()
        await new Promise(() => undefined)
      },
      garbage: () => process.stdout.write(`${text}\n{"half": \n[1]\n"word"\n\n`),
      strange: () => update({ sessionUpdate: 'of_the_future', anything: text }),
      huge: () => say('x'.repeat(Number(text))),
      hugeanswer: () => process.stdout.write(`{"jsonrpc":"2.0","id":0,"result":"${'x'.repeat(Number(text))}"}\n`),
    }[word]
    if (act) await act()
    if (word === 'stop') return { stopReason: text }
    if (isCancelled) return { stopReason: 'cancelled' }
    if (word === 'usage') {
      const [inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens] = rest.map(Number)
      const totalTokens = inputTokens + outputTokens
      return {
        stopReason: 'end_turn',
        usage: { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, totalTokens },
      }
    }
  }
  return { stopReason: 'end_turn' }
}

agent({ name: 'scripted' })
  .onRequest('initialize', ({ params }) => {
    recordRequest('initialize', params)
    return {
      protocolVersion: Number(process.env.SCRIPTED_VERSION ?? 1),
      agentInfo: { name: 'scripted', version: '1' },
      authMethods: [{ id: 'key', name: 'A key' }],
      agentCapabilities: {
        loadSession: abilities.includes('load'),
        mcpCapabilities: { http: abilities.includes('http') },
        sessionCapabilities: { resume: offers('resume'), systemPrompt: offers('system_prompt') },
      },
    }
  })
  .onRequest('authenticate', ({ params }) => {
    recordRequest('authenticate', params)
    isSignedIn = true
    return {}
  })
  .onRequest('session/new', ({ params }) => {
    recordRequest('session/new', params)
    if (!isSignedIn) throw RequestError.authRequired()
    const sessionId = process.env.SCRIPTED_SESSION_ID ?? `session-${randomUUID()}`
    if (!sessionId.includes('/')) appendFileSync(`${home}/sessions/${sessionId}`, '')
    return { sessionId, ...offer() }
  })
  .onRequest('session/resume', ({ params }) => resumeSession('session/resume', params))
  .onRequest('session/load', async ({ params, client }) => {
    const answer = resumeSession('session/load', params)
    const content = { type: 'text', text: 'told again' }
    await client.notify('session/update', {
      sessionId: params.sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content },
    })
    return answer
  })
  .onRequest('session/set_config_option', ({ params }) => {
    recordRequest('session/set_config_option', params)
    return { configOptions: [] }
  })
  .onRequest(
    'session/set_model',
    (params) => params,
    ({ params }) => {
      recordRequest('session/set_model', params)
      return {}
    },
  )
  .onRequest('session/set_mode', ({ params }) => {
    recordRequest('session/set_mode', params)
    return {}
  })
  .onRequest('session/prompt', prompt)
  .onNotification('session/cancel', ({ params }) => {
    recordRequest('session/cancel', params)
    isCancelled = true
    wake()
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
