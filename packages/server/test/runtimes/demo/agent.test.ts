import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/vitest/eventually.ts'

const program = fileURLToPath(new URL('../../../dist/runtimes/demo/agent.js', import.meta.url))

test('the result of a turn is not lost when its reader is so slow that the pipe is full', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-agent-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const agent = spawn(process.execPath, [program, 'a-conversation', folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void agent.kill('SIGKILL'))
  const ended = once(agent, 'exit')
  // More than any pipe takes: once the agent has exited, what was not read is thrown away.
  const lines = 20_000
  const prompt = Array.from({ length: lines }, (_, index) => `say ${index}`).join('\n')
  agent.stdin.write(`${JSON.stringify({ type: 'prompt', prompt, hasNoTools: false, asksFirst: false, servers: [] })}\n`)
  const written = () => readFile(join(folder, 'a-conversation.jsonl'), 'utf8').catch(() => '')
  // The prompt is an entry too. Nothing is read from the agent before it has done all its work.
  await eventually(written, (entries) => entries.trim().split('\n').length === lines + 1)
  const notices = (await text(agent.stdout)).trim().split('\n')
  expect(notices).toHaveLength(lines + 2)
  expect(JSON.parse(notices.at(-1) ?? '')).toEqual({ type: 'result', outcome: 'completed', detail: '' })
  expect((await ended)[0]).toBe(0)
})
