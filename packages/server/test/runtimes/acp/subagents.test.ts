import { afterEach, expect, test } from 'vitest'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

let session: ScriptedSession

afterEach(() => session.remove())

test('what a subagent was asked, did and answered stands in a transcript of its own', async () => {
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

test('two subagents have two transcripts, and a later turn adds others', async () => {
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
