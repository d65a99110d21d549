import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type CliName, cli } from './support/cli.ts'
import { cliEnvironment } from './support/cli-environment.ts'
import { modelServer } from './support/model-server.ts'

// The pinned CLIs without a driver: each starts, calls the scripted model and follows the script.

const model = modelServer()

const everything = ['think Hm', 'say Before', 'run echo from the shell', 'subagent say From below', 'say After']

describe('Claude Code', () => {
  test('runs a script: thinking, shell, subagent, answer', async () => {
    const lines = await claude(everything.join('\n'))
    const told = JSON.stringify(lines)
    for (const text of ['Hm', 'Before', 'from the shell', 'From below']) expect(told).toContain(text)
    expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: false, result: 'After' })
  })

  test('retries after status 429', async () => {
    const lines = await claude('fail 429 1\nsay Recovered')
    expect(lines).toContainEqual(expect.objectContaining({ subtype: 'api_retry', error_status: 429 }))
    expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: false, result: 'Recovered' })
  })
})

describe('Codex', () => {
  // Codex offers its tools in two ways, depending on whether it knows the model.
  test.each(['gpt-6.1-sol', 'unheard-of'])('runs a script with %s: thinking, shell, subagent, answer', async (name) => {
    const lines = await codex(everything.join('\n'), name)
    const told = JSON.stringify(lines)
    for (const text of ['Hm', 'Before', 'from the shell', 'After']) expect(told).toContain(text)
    expect(lines.at(-1)).toMatchObject({ type: 'turn.completed' })
    expect(model.requests.map(({ prompt }) => prompt)).toContain('say From below')
  })

  test('retries after status 500', async () => {
    const lines = await codex('fail 500 1\nsay Recovered')
    expect(JSON.stringify(lines)).toContain('Recovered')
    expect(lines.at(-1)).toMatchObject({ type: 'turn.completed' })
  })
})

describe('the ACP agent', () => {
  test('answers initialize with its capabilities', async () => {
    const hello = { protocolVersion: 1, clientCapabilities: {} }
    const [answer] = await run('acp', {
      args: [],
      input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`,
    })
    expect(answer).toMatchObject({ id: 1, result: { agentCapabilities: { loadSession: true } } })
  })
})

function claude(prompt: string): Promise<Record<string, unknown>[]> {
  const format = ['--output-format', 'stream-json', '--verbose']
  const args = ['-p', ...format, '--permission-mode', 'bypassPermissions', '--model', 'claude-sonnet-4-6']
  return run('runtime_alpha', { args, input: prompt })
}

function codex(prompt: string, name = 'gpt-6.1-sol'): Promise<Record<string, unknown>[]> {
  const freedom = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  return run('runtime_beta', { args: ['exec', '--json', ...freedom, '-m', name, '-'], input: prompt })
}

/** Runs a CLI to its end in an empty folder and returns its JSON lines. */
async function run(name: CliName, { args, input }: { args: string[]; input: string }) {
  const home = await mkdtemp(join(tmpdir(), 'yardmaster-cli-'))
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
  const env = await cliEnvironment(name, { home, modelUrl: model.url })
  const child = spawn(cli(name), args, { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end(input)
  const lines: Record<string, unknown>[] = []
  for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line))
  return lines
}
