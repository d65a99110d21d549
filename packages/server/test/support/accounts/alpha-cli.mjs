#!/usr/bin/env node
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

// Plays Claude Code's CLI as far as accounts are concerned: it reads its login as the real one does, asks the vendor over HTTP,
// writes its transcript, and reports failures in the real one's words and fields. `auth login` has the real one's dialogue.

const [, , ...args] = process.argv
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
const { CLAUDE_CONFIG_DIR: config = '', CLAUDE_SECURESTORAGE_CONFIG_DIR: storage = config } = process.env
const api = process.env.ANTHROPIC_BASE_URL

if (args[0] === 'auth') await signIn()
else createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)))

async function signIn() {
  process.stdout.write('Opening browser to sign in…\n')
  process.stdout.write("If the browser didn't open, visit: https://claude.test/oauth/authorize?code=true&state=s1\n")
  process.stdout.write('Paste code here if prompted > ')
  for await (const code of createInterface({ input: process.stdin })) {
    // The real one asks the vendor's token endpoint, whose address cannot be changed. This one knows its codes.
    if (!code.startsWith('good-')) {
      process.stderr.write('Login failed: Invalid authorization code\n')
      process.exit(1)
    }
    const login = { accessToken: `sk-ant-oat01-${code}`, refreshToken: `rt-${code}`, expiresAt: Date.now() + 3_600_000 }
    writeFileSync(join(config, '.credentials.json'), JSON.stringify({ claudeAiOauth: { ...login, scopes: [] } }), {
      mode: 0o600,
    })
    process.stdout.write('Login successful.\n')
    process.exit(0)
  }
}

async function take({ message, request }) {
  if (request?.subtype === 'interrupt') process.exit(0)
  if (message === undefined) return
  const id = flagValue('--session-id') ?? flagValue('--resume')
  record(id, { type: 'user', message })
  say({ type: 'system', subtype: 'init', mcp_servers: await useServers() })
  const response = await ask(message.content)
  const status = response.status === 200 ? null : response.status
  const rejected = response.headers.get('anthropic-ratelimit-unified-status') === 'rejected'
  if (rejected) {
    const resetsAt = Number(response.headers.get('anthropic-ratelimit-unified-reset'))
    say({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour' } })
  }
  const text = status === null ? await response.text() : `API Error: ${status}`
  record(id, { type: 'assistant', message: { id: randomUUID(), role: 'assistant', content: [{ type: 'text', text }] } })
  say({
    type: 'result',
    is_error: status !== null,
    api_error_status: status,
    terminal_reason: 'completed',
    result: text,
  })
  process.exitCode = status === null ? 0 : 1
  process.stdin.destroy()
}

/** Starts each local server and calls each remote one, with what its configuration says. Returns their states as the real one does. */
async function useServers() {
  const file = flagValue('--mcp-config')
  const { mcpServers = {} } = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'))
  const states = []
  for (const [name, server] of Object.entries(mcpServers)) states.push({ name, status: await useServer(server) })
  return states
}

async function useServer({ type, command, args: given, env, url, headers }) {
  if (type === 'stdio') {
    execFileSync(command, given, { env: { ...process.env, ...env } })
    return 'connected'
  }
  // The servers of the tests have certificates of their own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const init = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }
  const accept = 'application/json, text/event-stream'
  const answer = await fetch(url, { ...init, headers: { ...headers, accept, 'content-type': 'application/json' } })
  await answer.text()
  if (answer.status === 401) return 'needs-auth'
  return answer.ok ? 'connected' : 'failed'
}

function ask(prompt) {
  const { claudeAiOauth } = JSON.parse(readFileSync(join(storage, '.credentials.json'), 'utf8'))
  const headers = { authorization: `Bearer ${claudeAiOauth.accessToken}`, 'content-type': 'application/json' }
  return fetch(`${api}/v1/messages`, { method: 'POST', headers, body: JSON.stringify({ prompt }) })
}

function record(id, entry) {
  const folder = join(
    config,
    'projects',
    realpathSync(process.cwd())
      .replace(/[^a-zA-Z0-9]/g, '-')
      .slice(0, 200),
  )
  mkdirSync(folder, { recursive: true })
  const line = { ...entry, uuid: randomUUID(), parentUuid: null, sessionId: id, timestamp: new Date().toISOString() }
  appendFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`)
}

function flagValue(flag) {
  const index = args.indexOf(flag)
  return index < 0 ? undefined : args[index + 1]
}
