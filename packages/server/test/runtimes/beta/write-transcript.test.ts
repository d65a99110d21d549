import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findRollout, rolloutFiles } from '../../../src/runtimes/beta/rollout-files.ts'
import { writeRollout } from '../../../src/runtimes/beta/write-transcript.ts'
import type { Conversation } from '../../../src/runtimes/runtime.ts'
import { lines, rolloutLine, thread } from './rollout-lines.ts'

async function conversation(id?: string): Promise<Conversation> {
  const home = await mkdtemp(join(tmpdir(), 'yardmaster-rewrite-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return { id, home, workingDirectory: '/the/new/clone' }
}

async function* stream(all: readonly string[]): AsyncGenerator<string> {
  yield* all
}

async function written(given: Conversation, all: readonly string[]) {
  const { conversationId, path } = await writeRollout(given, stream(all), 'yardmaster')
  const text = await readFile(path, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return {
    conversationId,
    path,
    entries: text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}

test('gives a conversation without an id one in the format of codex, under which its rollout is found', async () => {
  const given = await conversation()
  const { conversationId, path } = await written(given, Object.values(lines))
  expect(conversationId).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(await findRollout(given, conversationId)).toBe(path)
  expect(await rolloutFiles()({ ...given, id: conversationId })).toEqual([{ thread: 'main', path }])
})

test('writes the header of the new conversation, then only messages and calls with new ordinals', async () => {
  const { entries } = await written(await conversation(thread), Object.values(lines))
  const [head, ...rest] = entries
  expect(head).toMatchObject({
    ordinal: 0,
    type: 'session_meta',
    payload: { id: thread, session_id: thread, cwd: '/the/new/clone', model_provider: 'yardmaster' },
  })
  expect(entries.map(({ ordinal }) => ordinal)).toEqual(entries.map((_, index) => index))
  expect(rest.map(({ payload }) => payload.type)).toEqual([
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
    'custom_tool_call',
    'message',
    'message',
    'custom_tool_call_output',
  ])
  expect(JSON.stringify(rest)).not.toMatch(/environment_context|skills_instructions/)
})

test('adds a result of the matching kind to a call without one', async () => {
  const { entries } = await written(await conversation(), [lines.prompt, lines.call, lines.customCall])
  expect(entries.slice(-2).map(({ payload }) => payload)).toEqual([
    { type: 'function_call_output', call_id: 'call_1', output: 'aborted' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'aborted' },
  ])
})

test('skips an incomplete line', async () => {
  const { entries } = await written(await conversation(), [lines.prompt, lines.answer.slice(0, 40), lines.answer])
  expect(entries).toHaveLength(3)
})

test("removes codex's databases and replaces an existing rollout", async () => {
  const given = await conversation(thread)
  const first = await written(given, [lines.prompt, lines.answer])
  const home = join(given.home, '.codex')
  for (const name of ['state_5.sqlite', 'state_5.sqlite-wal', 'config.toml']) await writeFile(join(home, name), '')
  const second = await written(given, [lines.prompt])
  expect(second.path).toBe(first.path)
  expect(second.entries).toHaveLength(2)
  expect((await readdir(home)).sort()).toEqual(['config.toml', 'sessions'])
})

test('finds the rollouts of subagents with their facts and ignores those of other conversations', async () => {
  const given = await conversation(thread)
  const subagent = '01a1dda6-1bc0-7e93-9525-b6d4952c232d'
  const folder = join(given.home, '.codex/sessions/2026/11/15')
  await mkdir(folder, { recursive: true })
  const put = async (id: string, all: string[]): Promise<string> => {
    const path = join(folder, `rollout-2026-11-15T05-20-13-${id}.jsonl`)
    await writeFile(path, `${all.join('\n')}\n`)
    return path
  }
  const activity = { type: 'SubAgentActivity', id: 'call_9', kind: 'started', agent_thread_id: subagent }
  const main = await put(thread, [lines.head, rolloutLine('event_msg', { type: 'item_completed', item: activity })])
  const facts = { id: subagent, parent_thread_id: thread, agent_path: '/root/read_the_docs', agent_role: 'explorer' }
  const below = await put(subagent, [rolloutLine('session_meta', facts)])
  await put('01a1dda6-9999-7e93-9525-b6d4952c232d', [rolloutLine('session_meta', { id: 'x' })])
  expect(await rolloutFiles()(given)).toEqual([
    { thread: 'main', path: main },
    {
      thread: subagent,
      path: below,
      subagent: { subagent_type: 'explorer', description: 'read the docs', tool_use_id: 'call_9' },
    },
  ])
})
