import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

// The vendors' CLIs without Yardmaster, each with the arguments, settings and protocol of its driver. A turn begins when the
// program is spawned and ends when it exits. `earlier` is the conversation to continue.

/**
 * @typedef {{ program: string, modelUrl: string, model: string, prompt: string }} TurnRequest
 * @typedef {{ url: string, key: string }} McpServer
 * @typedef {{ home: string, repository: string, earlier?: string, mcpServer?: McpServer }} Place
 * @typedef {{ ms: number, conversation: string }} BareTurn
 */

/** @type {(request: TurnRequest, place: Place) => Promise<BareTurn>} */
export async function bareClaude({ program, modelUrl, model, prompt }, { home, repository, earlier, mcpServer }) {
  const config = join(home, 'claude')
  await mkdir(config, { recursive: true })
  await writeFile(join(home, 'key'), 'bench-key\n')
  const settings = { cleanupPeriodDays: 36_500, env: { ANTHROPIC_BASE_URL: modelUrl }, apiKeyHelper: `cat ${home}/key` }
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings))
  const conversation = earlier ?? randomUUID()
  const args = [
    ...['-p', '--verbose', '--output-format', 'stream-json', '--input-format', 'stream-json'],
    ...['--permission-mode', 'bypassPermissions', earlier ? '--resume' : '--session-id', conversation],
    ...['--model', model, '--settings', join(home, 'settings.json'), '--strict-mcp-config'],
    ...(mcpServer ? ['--mcp-config', claudeServers(mcpServer)] : []),
  ]
  const env = {
    ANTHROPIC_BASE_URL: modelUrl,
    CLAUDE_CONFIG_DIR: config,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_CRON: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_BUG_COMMAND: '1',
    MCP_CONNECTION_NONBLOCKING: '0',
    ...(process.getuid?.() === 0 && { IS_SANDBOX: '1' }),
  }
  const ms = await timed({ program, args, env, home, repository }, (agent) => {
    agent.onMessage(({ type }) => type === 'result' && agent.endInput())
    agent.send({ type: 'user', message: { role: 'user', content: prompt } })
  })
  return { ms, conversation }
}

/** @param {McpServer} server */
function claudeServers({ url, key }) {
  return JSON.stringify({ mcpServers: { yardmaster: { type: 'http', url, headers: { 'X-API-Key': key } } } })
}

/** @type {(request: TurnRequest, place: Place) => Promise<BareTurn>} */
export async function bareCodex({ program, modelUrl, model, prompt }, { home, repository, earlier, mcpServer }) {
  const CODEX_HOME = join(home, '.codex')
  await mkdir(CODEX_HOME, { recursive: true })
  await writeFile(join(CODEX_HOME, 'config.toml'), codexConfig(modelUrl, repository, mcpServer))
  const env = { CODEX_HOME, OPENAI_API_KEY: 'bench-key' }
  let conversation = earlier ?? ''
  const ms = await timed({ program, args: ['app-server'], env, home, repository }, (agent) => {
    const call = (id, method, params) => agent.send({ jsonrpc: '2.0', id, method, params })
    const thread = { cwd: repository, model, modelProvider: 'bench' }
    const permissions = { approvalPolicy: 'never', sandbox: 'danger-full-access' }
    /** Handlers for the answer to each call, by its id. */
    const handlers = {
      1: () => {
        agent.send({ jsonrpc: '2.0', method: 'initialized' })
        if (earlier) call(2, 'thread/resume', { ...thread, ...permissions, threadId: earlier, excludeTurns: true })
        else call(2, 'thread/start', { ...thread, ...permissions })
      },
      2: (opened) => {
        conversation = opened.thread.id
        const input = [{ type: 'text', text: prompt, text_elements: [] }]
        call(3, 'turn/start', { threadId: conversation, model, input })
      },
    }
    agent.onMessage(({ id, result, method }) => {
      if (result) handlers[id]?.(result)
      if (method === 'turn/completed') agent.endInput()
    })
    const clientInfo = { name: 'bench', title: 'Bench', version: '1' }
    call(1, 'initialize', { clientInfo, capabilities: { experimentalApi: true, requestAttestation: false } })
  })
  return { ms, conversation }
}

function codexConfig(modelUrl, repository, mcpServer) {
  return `
model_provider = "bench"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics = { enabled = false }
otel = { exporter = "none" }
features = { plugins = false, remote_plugin = false, apps = false, daemon_auto_start = false, goals = false }
projects = { "${repository}" = { trust_level = "trusted" } }

[model_providers.bench]
name = "Bench"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
${mcpServer ? `\n[mcp_servers.yardmaster]\nurl = "${mcpServer.url}"\nhttp_headers = { "X-API-Key" = "${mcpServer.key}" }\n` : ''}`
}

/** Milliseconds from the spawn of the program to its exit. */
function timed({ program, args, env, home, repository }, converse) {
  const started = performance.now()
  const child = spawn(program, args, {
    cwd: repository,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })
  converse({
    send: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    onMessage: (handle) => lines.on('line', (line) => handle(JSON.parse(line))),
    endInput: () => child.stdin.end(),
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve(performance.now() - started)
      else reject(new Error(`${program} exited with code ${code}`))
    })
  })
}
