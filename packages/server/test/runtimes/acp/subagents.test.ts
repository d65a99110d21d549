import { afterEach, expect, test } from 'vitest'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

let session: ScriptedSession

afterEach(() => session.remove())

test("records a subagent's prompt, calls and answer in a transcript of its own", async () => {
  session = await scriptedSession()
  const prompt = 'delegate explorer ls -l\nrun pwd\nsay Done'
  expect(await session.run(prompt)).toEqual({ kind: 'completed' })

  const said = await session.said()
  expect(said.filter((block) => !block.startsWith('tool_use: think'))).toEqual([
    `user: ${prompt}`,
    'tool_result: I ran ls -l',
    'tool_use: execute {"title":"pwd","command":"pwd"}',
    'tool_result: output of pwd',
    'text: Done',
  ])

  const [, file] = await session.runtime.transcriptFiles(session.conversation)
  expect(file).toMatchObject({
    thread: expect.stringMatching(/^agent-/),
    subagent: { subagent_type: 'explorer', description: 'A small task' },
  })
  expect(file?.thread).toBe(`agent-${file?.subagent?.tool_use_id}`)
  expect(await session.said(file?.path)).toEqual([
    'user: Please run ls -l',
    'tool_use: execute {"title":"ls -l","command":"ls -l"}',
    'tool_result: output of ls -l',
    'text: I ran ls -l',
  ])
})

test("assigns an unmarked update about a subagent's call to the subagent", async () => {
  session = await scriptedSession()
  const _meta = { claudeCode: { parentToolUseId: 'P' } }
  const lines = [
    { sessionUpdate: 'tool_call', toolCallId: 'P', kind: 'think', rawInput: { prompt: 'Look' } },
    { sessionUpdate: 'tool_call', toolCallId: 'C', kind: 'execute', rawInput: { command: 'ls' }, _meta },
    { sessionUpdate: 'tool_call_update', toolCallId: 'C', status: 'in_progress' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'C', status: 'failed' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'P', status: 'completed', rawOutput: 'Seen' },
  ].map((update) => `tell ${JSON.stringify(update)}`)
  await session.run(lines.join('\n'))
  expect((await session.said()).slice(1)).toEqual(['tool_use: think {"prompt":"Look"}', 'tool_result: Seen'])
  const [, file] = await session.runtime.transcriptFiles(session.conversation)
  expect(await session.said(file?.path)).toEqual([
    'user: Look',
    'tool_use: execute {"command":"ls"}',
    'tool_result: ',
    'text: Seen',
  ])
})

test('keeps the facts of a background subagent in a later turn', async () => {
  session = await scriptedSession()
  const _meta = { claudeCode: { parentToolUseId: 'P' } }
  const input = { subagent_type: 'explorer', description: 'A look', prompt: 'Look' }
  const work = { sessionUpdate: 'tool_call', kind: 'execute', rawInput: { command: 'ls' }, _meta, status: 'completed' }
  const first = [
    { sessionUpdate: 'tool_call', toolCallId: 'P', kind: 'think', rawInput: input },
    { sessionUpdate: 'tool_call_update', toolCallId: 'P', status: 'completed', rawOutput: 'Begun' },
    { ...work, toolCallId: 'C', rawOutput: 'one' },
  ].map((update) => `tell ${JSON.stringify(update)}`)
  await session.run(first.join('\n'))
  await session.run(`tell ${JSON.stringify({ ...work, toolCallId: 'D', rawOutput: 'two' })}`)
  const [, file] = await session.runtime.transcriptFiles(session.conversation)
  expect(file?.subagent).toEqual({ subagent_type: 'explorer', description: 'A look', tool_use_id: 'P' })
  expect((await session.said(file?.path)).filter((block) => !block.startsWith('tool_use'))).toEqual([
    'user: Look',
    'tool_result: one',
    'tool_result: two',
  ])
})

test("uses the agent's name for a tool if it reports one", async () => {
  session = await scriptedSession()
  const call = { sessionUpdate: 'tool_call', toolCallId: 'x', kind: 'execute', rawInput: { command: 'ls' } }
  const update = { ...call, status: 'completed', _meta: { claudeCode: { toolName: 'Bash' } } }
  await session.run(`tell ${JSON.stringify(update)}`)
  expect((await session.said())[1]).toBe('tool_use: Bash {"command":"ls"}')
})

test('gives each subagent a transcript, also in a later turn', async () => {
  session = await scriptedSession()
  await session.run('delegate explorer ls\ndelegate critic pwd')
  await session.run('delegate poet date')
  const files = await session.runtime.transcriptFiles(session.conversation)
  expect(files.flatMap(({ subagent }) => subagent?.subagent_type ?? []).toSorted()).toEqual([
    'critic',
    'explorer',
    'poet',
  ])
})
