import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { betaDriver } from './support/beta-driver.ts'
import { drivenSession, newConversation } from './support/driven-session.ts'

const { model, beta, session } = betaDriver()

describe('transcripts', () => {
  test('a subagent has a transcript of its own with its facts', async () => {
    const driven = await session()
    expect(await driven.run('subagent say From below\nsay From above')).toEqual({ kind: 'completed' })
    const files = await beta().transcriptFiles(driven.conversation)
    expect(files).toEqual([
      expect.objectContaining({ thread: 'main' }),
      expect.objectContaining({
        thread: expect.stringMatching(/^[\da-f-]{36}$/),
        subagent: { subagent_type: null, description: 'scripted subagent', tool_use_id: expect.any(String) },
      }),
    ])
    expect((await driven.lines('subagent')).join('\n')).toContain('From below')
    const toolUseId = files[1]?.subagent?.tool_use_id
    expect((await driven.lines()).filter((line) => line.includes('"function_call"')).join('\n')).toContain(toolUseId)
  })

  test('usage is what the model reported, once per call, with the model', async () => {
    const driven = await session()
    await driven.run('usage 1000 50 400 0\nrun true\nusage 2000 60 0 0\nsay Done')
    await driven.run('usage 3000 70 0 0\nsay Again', { model: 'gpt-5.5' })
    const usages = await driven.usages()
    expect(usages.slice(0, 2)).toMatchObject([
      { model: 'gpt-6.1-sol', input_tokens: 600, cache_read_tokens: 400, output_tokens: 50, subagent: false },
      { model: 'gpt-6.1-sol', input_tokens: 2000, cache_read_tokens: 0, output_tokens: 60, subagent: false },
    ])
    // Before the last call codex has the conversation summarized for the other model.
    expect(usages.at(-1)).toMatchObject({ model: 'gpt-5.5', input_tokens: 3000, output_tokens: 70, subagent: false })
    expect(new Set(usages.map(({ request_id: id }) => id)).size).toBe(usages.length)
  })

  test("a subagent's calls are marked as a subagent's", async () => {
    const driven = await session()
    await driven.run('subagent usage 10 5\\nsay From below\nsay From above')
    const usages = await driven.usages()
    expect(usages.filter(({ subagent }) => subagent)).toMatchObject([{ input_tokens: 10, output_tokens: 5 }])
    expect(usages.filter(({ subagent }) => !subagent).length).toBeGreaterThan(0)
  })

  test('stored lines are enough to continue in another home and folder as a new conversation', async () => {
    const runtime = beta()
    const driven = await session()
    await driven.run('think Hm\nrun echo from the tool\nsay The first answer')
    await driven.run('say The second answer')
    const stored = (await driven.lines()).filter((line) => runtime.isWorthKeeping(line))
    const cutAt = stored.findIndex((line) => line.includes('The first answer'))

    const conversation = await newConversation(runtime)
    const written = await runtime.writeTranscript(conversation, lines(stored.slice(0, cutAt + 2)))
    expect(written.conversationId).not.toBe(driven.conversation.id)
    const fork = await drivenSession(runtime, {
      model: 'gpt-6.1-sol',
      conversation: { ...conversation, id: written.conversationId },
    })
    expect(await fork.run('run pwd > where.txt\nsay The fork’s answer')).toEqual({ kind: 'completed' })
    const asked = JSON.stringify(model.requests.at(-1)?.body)
    expect(asked).toContain('from the tool')
    expect(asked).toContain('The first answer')
    expect(asked).not.toContain('The second answer')
    expect(asked).not.toContain(driven.conversation.workingDirectory)
    const where = await readFile(join(conversation.workingDirectory, 'where.txt'), 'utf8')
    expect(where.trim()).toBe(conversation.workingDirectory)
    expect((await fork.lines()).join('\n')).toContain('The fork’s answer')
  })

  test('a compacted conversation continues from its stored lines', async () => {
    const runtime = beta()
    const driven = await session()
    await driven.run('run echo from the tool\nsay The first answer')
    await driven.run('say The second answer', { model: 'gpt-5.5' })
    const stored = (await driven.lines()).filter((line) => runtime.isWorthKeeping(line))
    expect(stored.some((line) => line.includes('"type":"compacted"'))).toBe(true)
    const conversation = await newConversation(runtime)
    const { conversationId } = await runtime.writeTranscript(conversation, lines(stored))
    const fork = await drivenSession(runtime, {
      model: 'gpt-5.5',
      conversation: { ...conversation, id: conversationId },
    })
    expect(await fork.run('say Going on')).toEqual({ kind: 'completed' })
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('The second answer')
  })

  test('a conversation cut in the middle of a tool call continues', async () => {
    const runtime = beta()
    const driven = await session()
    await driven.run('run echo from the tool\nsay Done')
    const stored = (await driven.lines()).filter((line) => runtime.isWorthKeeping(line))
    const call = stored.findIndex((line) => line.includes('"custom_tool_call"'))
    const conversation = await newConversation(runtime)
    const { conversationId } = await runtime.writeTranscript(conversation, lines(stored.slice(0, call + 1)))
    const fork = await drivenSession(runtime, {
      model: 'gpt-6.1-sol',
      conversation: { ...conversation, id: conversationId },
    })
    expect(await fork.run('say Going on')).toEqual({ kind: 'completed' })
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('aborted')
  })

  test('a lost rollout is written again in a home that codex has used', async () => {
    const runtime = beta()
    const driven = await session()
    await driven.run('say The first answer')
    const stored = (await driven.lines()).filter((line) => runtime.isWorthKeeping(line))
    await rm(join(driven.conversation.home, '.codex/sessions'), { recursive: true })
    const written = await runtime.writeTranscript(driven.conversation, lines(stored))
    expect(written.conversationId).toBe(driven.conversation.id)
    expect(await driven.run('say The second answer')).toEqual({ kind: 'completed' })
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('The first answer')
  })

  test('a prompt shows as received, and the start alone does not', async () => {
    const runtime = beta()
    const driven = await session()
    await driven.run('say Hello')
    const received = (await driven.lines()).filter((line) => runtime.showsReceipt(line))
    expect(received).toHaveLength(1)
    expect(received[0]).toContain('say Hello')
  })
})

async function* lines(all: readonly string[]): AsyncGenerator<string> {
  yield* all
}
