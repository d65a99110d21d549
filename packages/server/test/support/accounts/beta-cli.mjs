#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

// Plays `codex app-server` as far as accounts are concerned: it reads its login and its configuration as the real one does, asks the
// vendor over HTTP, writes its rollout, and reports failures and limits in the real one's words and fields.

const { CODEX_HOME: home = '' } = process.env
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
let threadId = ''

const answers = {
  initialize: () => ({}),
  'thread/start': ({ config }) => {
    threadId = randomUUID()
    startServers(config)
    return { thread: { id: threadId } }
  },
  'thread/resume': ({ threadId: id, config }) => {
    threadId = id
    startServers(config)
    return { thread: { id } }
  },
  'turn/start': ({ input }) => {
    const turnId = randomUUID()
    const prompt = input.map(({ text }) => text).join('\n')
    setImmediate(() => void work(turnId, prompt))
    return { turn: { id: turnId } }
  },
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id !== undefined && method !== undefined) say({ id, result: answers[method]?.(params) ?? {} })
  })
  .on('close', () => process.exit(0))

function startServers({ mcp_servers: servers = {} }) {
  for (const name of Object.keys(servers))
    tell('mcpServer/startupStatus/updated', { name, status: 'ready', error: null })
}

async function work(turnId, prompt) {
  record('user', 'input_text', prompt, { content_item_kinds: ['user.text'] })
  const response = await ask(prompt)
  const text = await response.text()
  tell('account/rateLimits/updated', { rateLimits: limitsIn(response.headers) })
  if (response.status === 200) {
    record('assistant', 'output_text', text)
    return end(turnId, 'completed')
  }
  const { status: httpStatusCode } = response
  const isSpent = httpStatusCode === 429 && JSON.parse(text).error?.type === 'usage_limit_reached'
  const codexErrorInfo = isSpent ? 'usageLimitExceeded' : { httpConnectionFailed: { httpStatusCode } }
  end(turnId, 'failed', { message: `unexpected status ${httpStatusCode}`, codexErrorInfo })
}

function ask(prompt) {
  const { tokens } = JSON.parse(readFileSync(join(home, 'auth.json'), 'utf8'))
  const [, api] = /"?openai_base_url"? = "([^"]+)"/.exec(readFileSync(join(home, 'config.toml'), 'utf8')) ?? []
  const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' }
  return fetch(`${api}/responses`, { method: 'POST', headers, body: JSON.stringify({ prompt }) })
}

function limitsIn(headers) {
  const window = (name) => ({
    usedPercent: Number(headers.get(`x-codex-${name}-used-percent`)),
    resetsAt: Number(headers.get(`x-codex-${name}-reset-at`)),
  })
  return { primary: window('primary'), secondary: window('secondary') }
}

function end(id, status, error = null) {
  tell('turn/completed', { turn: { id, status, error } })
}

function tell(method, params) {
  say({ method, params: { threadId, ...params } })
}

function record(role, type, text, metadata) {
  const folder = join(home, 'sessions', '2026', '11', '17')
  mkdirSync(folder, { recursive: true })
  const found = readdirSync(folder).find((name) => name.includes(threadId))
  const file = join(folder, found ?? `rollout-2026-11-17T00-00-00-${threadId}.jsonl`)
  if (!found) append(file, 'session_meta', { id: threadId, session_id: threadId, cwd: process.cwd() })
  const passthrough = metadata && { internal_chat_message_metadata_passthrough: metadata }
  append(file, 'response_item', { type: 'message', role, content: [{ type, text }], ...passthrough })
}

function append(file, type, payload) {
  appendFileSync(file, `${JSON.stringify({ timestamp: new Date().toISOString(), type, payload })}\n`)
}
