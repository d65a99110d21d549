import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../support/vitest/eventually.ts'
import type { AgentRequest, ScriptedSession } from './scripted-session.ts'
import { scriptedSession } from './scripted-session.ts'

let session: ScriptedSession

afterEach(() => session.remove())

describe('the next turn', () => {
  test("the next turn resumes the agent's session in a new process", async () => {
    session = await scriptedSession({ abilities: ['resume'] })
    await session.run('say One')
    expect(await session.run('recall')).toEqual({ kind: 'completed' })
    expect(session.named).toHaveLength(1)
    expect(await session.requests('session/new')).toHaveLength(1)
    expect((await session.requests('session/resume'))[0]?.params).toMatchObject({ sessionId: session.conversation.id })
    expect((await session.said()).at(-1)).toContain('["say One"]\n["recall"]')
    expect(session.notices).toEqual([])
  })

  test('the next turn does not record the messages that an agent repeats when it loads a session', async () => {
    session = await scriptedSession({ abilities: ['load'] })
    await session.run('say One')
    await session.run('say Two')
    expect(await session.requests('session/load')).toHaveLength(1)
    expect(await session.said()).toEqual(['user: say One', 'text: One', 'user: say Two', 'text: Two'])
  })

  test('the next turn loads the session if the agent advertises resume and then rejects it', async () => {
    session = await scriptedSession({ abilities: ['resume', 'load'], refuses: ['session/resume'] })
    await session.run('say One')
    expect(await session.run('say Two')).toEqual({ kind: 'completed' })
    expect(await session.requests('session/load')).toHaveLength(1)
    expect(session.notices).toEqual([])
  })

  test('the next turn starts a new session with a recap, and logs it, if the agent refuses to resume', async () => {
    session = await scriptedSession({ abilities: ['resume'], refuses: ['session/resume'] })
    await session.run('say One\nrun ls')
    expect(await session.run('say Two')).toEqual({ kind: 'completed' })
    const [recap, message] = textsOf(await session.requests('session/prompt'))
    expect(recap).toMatch(
      /^<earlier_conversation>\n.*User: say One\nrun ls\n\nYou: One\n\nTool execute: .*"ls".*\n\nResult: output of ls\n<\/earlier_conversation>$/s,
    )
    expect(message).toBe('say Two')
    expect(session.notices).toEqual([expect.stringMatching(/did not resume its conversation \(.*Method not found/)])
    expect(session.named).toHaveLength(1)
    expect((await session.said()).slice(-2)).toEqual(['user: say Two', 'text: Two'])
  })

  test('the next turn starts a new session with a recap if the agent does not advertise resuming', async () => {
    session = await scriptedSession({ abilities: [] })
    await session.run('say One')
    await session.run('say Two')
    await session.run('say Three')
    const [recap] = textsOf(await session.requests('session/prompt'))
    expect(recap).toContain('You: One\n\nUser: say Two\n\nYou: Two')
    expect(recap).not.toContain('earlier_conversation>\n\nUser')
    expect(session.notices).toEqual([])
  })

  test('the next turn repeats a message that a crash may have kept from the agent', async () => {
    session = await scriptedSession()
    await session.run('say One')
    const path = join(session.conversation.home, 'acp-session.json')
    const link = JSON.parse(await readFile(path, 'utf8'))
    expect(link.undelivered).toBeUndefined()
    await writeFile(path, JSON.stringify({ ...link, undelivered: 'say Lost' }))
    await session.run('say Two')
    const [lost, message] = textsOf(await session.requests('session/prompt'))
    expect(lost).toMatch(/^<earlier_message>\n.*\n\nsay Lost\n<\/earlier_message>$/s)
    expect(message).toBe('say Two')
  })

  test('the next turn repeats such a message from the session link of an earlier version', async () => {
    session = await scriptedSession()
    await session.run('say One')
    const path = join(session.conversation.home, 'acp-session.json')
    const { instructionsDigest: told, ...link } = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, JSON.stringify({ ...link, told, unheard: 'say Lost' }))
    await session.run('say Two')
    expect(textsOf(await session.requests('session/prompt'))[0]).toContain('say Lost')
    expect(await session.requests('session/new')).toHaveLength(1)
  })

  test('the next turn does not repeat a message that the agent was working on when the server was killed', async () => {
    session = await scriptedSession()
    await session.begin('begin working\nstream')
    const path = join(session.conversation.home, 'acp-session.json')
    // The file of a server that is killed now.
    const link = await eventually(
      async () => JSON.parse(await readFile(path, 'utf8').catch(() => '{}')),
      ({ conversation, undelivered }) => conversation !== undefined && undelivered === undefined,
    )
    expect(link).toMatchObject({ conversation: session.conversation.id })
  })

  test('the next turn does not repeat the message if it is the prompt', async () => {
    session = await scriptedSession()
    await session.run('say One')
    const path = join(session.conversation.home, 'acp-session.json')
    const link = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, JSON.stringify({ ...link, undelivered: 'say Two' }))
    await session.run('say Two')
    expect(textsOf(await session.requests('session/prompt'))).toEqual(['say Two'])
  })
})

describe('instructions', () => {
  test('precede the first message, and a later one only if they have changed', async () => {
    session = await scriptedSession()
    const given = async (instructions: string): Promise<string[]> => {
      await session.run('say Hi', { equipment: { instructions } })
      return textsOf(await session.requests('session/prompt'))
    }
    expect(await given('The goal: tea.')).toEqual([
      expect.stringMatching(/^<session_instructions>\n.*\n\nThe goal: tea\.\n/s),
      'say Hi',
    ])
    expect(await given('The goal: tea.')).toEqual(['say Hi'])
    expect(await given('The goal: milk.')).toEqual([expect.stringContaining('milk'), 'say Hi'])
    expect((await session.said()).filter((said) => said.includes('goal'))).toEqual([])
  })

  test('go to the system prompt of an agent that supports it', async () => {
    session = await scriptedSession({ abilities: ['system_prompt'] })
    await session.run('say Hi', { equipment: { instructions: 'The goal: tea.' } })
    expect(textsOf(await session.requests('session/prompt'))).toEqual(['say Hi'])
    const [{ params } = { params: {} }] = await session.requests('session/new')
    expect(params).toMatchObject({ systemPrompt: { mode: 'append', content: [{ text: 'The goal: tea.' }] } })
  })
})

describe('a conversation written to disk', () => {
  test('a conversation written to disk as a fork gets its own id, and its agent a recap', async () => {
    session = await scriptedSession()
    const written = await session.runtime.writeTranscript(session.conversation, kept())
    session.conversation = { ...session.conversation, id: written.conversationId }
    expect(await session.said()).toEqual(['user: What is your name?', 'text: Ada'])
    expect((await session.lines()).map((line) => JSON.parse(line).sessionId)).toEqual(
      [1, 2].map(() => written.conversationId),
    )
    await session.run('say Go on')
    expect(textsOf(await session.requests('session/prompt'))).toEqual([
      expect.stringContaining('User: What is your name?\n\nYou: Ada'),
      'say Go on',
    ])
    expect(session.named).toEqual([])
    expect(await session.said()).toHaveLength(4)
    await session.run('say And on')
    expect(textsOf(await session.requests('session/prompt'))).toEqual(['say And on'])
  })

  test("a conversation written to disk after a move is not resumed in the agent's old session", async () => {
    session = await scriptedSession()
    await session.run('say One')
    const { path } = await session.runtime.writeTranscript(session.conversation, kept())
    expect(await session.runtime.transcriptFiles(session.conversation)).toEqual([{ thread: 'main', path }])
    await session.run('say Two')
    expect(await session.requests('session/resume')).toEqual([])
    expect(textsOf(await session.requests('session/prompt'))[0]).toContain('Ada')
  })

  test('a conversation written to disk that is very long becomes a bounded recap with its first and latest messages', async () => {
    session = await scriptedSession()
    async function* long(): AsyncGenerator<string> {
      yield entry('user', 'Build a cathedral')
      for (let stone = 1; stone <= 3000; stone += 1)
        yield entry('assistant', [{ type: 'text', text: `Stone ${stone} ${'.'.repeat(90)}` }])
    }
    const written = await session.runtime.writeTranscript(session.conversation, long())
    session.conversation = { ...session.conversation, id: written.conversationId }
    await session.run('say Go on')
    const recap = textsOf(await session.requests('session/prompt'))[0] ?? ''
    expect(recap.length).toBeLessThan(60_000)
    expect(recap).toMatch(/Build a cathedral\n\n\[\d+ entries are left out here\]\n\nYou: Stone .*You: Stone 3000 /s)
  })
})

/** The texts of the last prompt. */
function textsOf(requests: readonly AgentRequest[]): string[] {
  const blocks = requests.at(-1)?.params.prompt as { text: string }[] // as the scripted agent wrote it down
  return blocks.map(({ text }) => text)
}

function entry(type: string, content: unknown): string {
  return JSON.stringify({ type, sessionId: 'another', message: { role: type, content } })
}

async function* kept(): AsyncGenerator<string> {
  yield entry('user', 'What is your name?')
  yield entry('assistant', [{ type: 'text', text: 'Ada' }])
}
