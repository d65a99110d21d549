import { mkdir, rm, stat } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { stillRunning } from '../../support/processes/server-process.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

let session: ScriptedSession

afterEach(() => session.remove())

describe('a turn', () => {
  test('is completed, and what was said stands in the transcript as whole blocks', async () => {
    session = await scriptedSession()
    const prompt = 'think about it\nsay Hello, all of you.\nrun ls -l\nplan to go on\nsay And good bye.'
    expect(await session.run(prompt)).toEqual({ kind: 'completed' })
    expect(await session.said()).toEqual([
      `user: ${prompt}`,
      'thinking: about it',
      'text: Hello, all of you.',
      'tool_use: execute {"title":"ls -l","command":"ls -l"}',
      'tool_result: output of ls -l',
      'tool_use: plan {"entries":[{"content":"to go on","status":"pending"}]}',
      'text: And good bye.',
    ])
    const lines = await session.lines()
    expect(lines.every((line) => session.runtime.isWorthKeeping(line) && session.runtime.showsReceipt(line))).toBe(true)
    expect(lines.map((line) => JSON.parse(line).sessionId)).toEqual(lines.map(() => session.conversation.id))
  })

  test('names the conversation before the agent gets the prompt, which by then stands in the transcript', async () => {
    session = await scriptedSession()
    const turn = await session.begin('stream')
    await eventually(
      () => session.heard('session/prompt'),
      (heard) => heard.length === 1,
    )
    expect(session.named).toHaveLength(1)
    expect(await session.said()).toEqual(['user: stream'])
    await turn.interrupt()
  })

  test('has its usage counted once, with what the cache did', async () => {
    session = await scriptedSession()
    expect(await session.run('say Hi\nusage 100 20 30 10', { model: 'default' })).toEqual({ kind: 'completed' })
    const usages = (await session.lines()).flatMap((line) => session.runtime.usageOf(line) ?? [])
    expect(usages).toMatchObject([
      { input_tokens: 100, output_tokens: 20, cache_read_tokens: 30, cache_creation_tokens: 10, model: 'default' },
    ])
    expect(await session.said()).toEqual(['user: say Hi\nusage 100 20 30 10', 'text: Hi'])
  })

  test('asks for permission and gets it, for this once', async () => {
    session = await scriptedSession()
    await session.run('ask to delete everything')
    expect((await session.said()).at(-1)).toBe('text: got allow_once-id')
  })

  test('asks a question, which is declined, and wants to use our files, which it cannot', async () => {
    session = await scriptedSession()
    expect(await session.run('question Which one?\nfile /etc/passwd')).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toMatch(/^text: got decline.*method not found/i)
    expect(session.notices).toEqual(['The agent asked a question, which Yardmaster declined: Which one?'])
  })

  test('with a tool that never ended leaves no open call in the transcript', async () => {
    session = await scriptedSession()
    await session.run('begin something long')
    expect((await session.said()).slice(1)).toEqual([
      'tool_use: tool {"title":"something long"}',
      'tool_result: The turn ended before the tool did.',
    ])
  })

  test('of an agent whose session id could be a path keeps its transcript where transcripts are', async () => {
    session = await scriptedSession({ environment: { SCRIPTED_SESSION_ID: '../../elsewhere/x' } })
    await session.run('crash now')
    expect(session.named).toEqual(['../../elsewhere/x'])
    const [file] = await session.runtime.transcriptFiles(session.conversation)
    expect(file?.path).toMatch(/\/home\/transcripts\/[0-9a-f]{64}\.jsonl$/)
  })

  test('gives the agent the variables it is to have, and nothing else of ours', async () => {
    const environment = { PASSED: 'yes', KEPT: 'no', PATH: process.env.PATH }
    session = await scriptedSession({ agent: { passEnvironment: ['PASSED'], environment } })
    await session.run('environment PASSED\nenvironment KEPT', { equipment: { environment: { KEPT: '' } } })
    expect((await session.said()).at(-1)).toBe('text: PASSED=yesKEPT=')
  })
})

describe('an interrupted turn', () => {
  test('ends by the protocol, and keeps what was said until then', async () => {
    session = await scriptedSession()
    const turn = await session.begin('stream')
    await eventually(
      () => session.heard('session/prompt'),
      (heard) => heard.length === 1,
    )
    await Promise.all([turn.interrupt(), turn.interrupt()])
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await session.heard('session/cancel')).toHaveLength(1)
    expect((await session.said()).at(-1)).toMatch(/^text: on and /)
  })

  test('of an agent that ignores it is killed', async () => {
    session = await scriptedSession()
    const turn = await session.begin('deaf')
    await eventually(
      () => session.heard('session/prompt'),
      (heard) => heard.length === 1,
    )
    await turn.interrupt()
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await stillRunning([turn.identity])).toEqual([])
  })

  test('whose agent had not begun gets no prompt', async () => {
    session = await scriptedSession()
    const turn = await session.begin('say Hi')
    await turn.interrupt()
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await session.heard('session/prompt')).toEqual([])
    expect(await session.lines()).toEqual([])
  })
})

describe('a turn that fails', () => {
  test('by an error instead of an answer has the reason that the error gives', async () => {
    session = await scriptedSession()
    expect(await session.run('say Hm\nerror -32603 API Error: 429 slow down')).toEqual({
      kind: 'failed',
      reason: 'rate_limit',
      detail: expect.stringMatching(/^API Error: 429 slow down: from the provider\. /),
    })
    expect((await session.said()).at(-1)).toBe('text: Hm')
  })

  test('because its process died tells how, and what it said last', async () => {
    session = await scriptedSession()
    expect(await session.run('say I\ncrash out of memory')).toEqual({
      kind: 'failed',
      reason: 'crash',
      detail: 'The agent process exited with code 3 before it finished the turn. out of memory',
    })
    expect((await session.said()).at(-1)).toBe('text: I')
  })

  test('because its process died before it said anything tells the same', async () => {
    session = await scriptedSession({ agent: { command: 'sh', args: ['-c', 'echo no such flag >&2; exit 4'] } })
    expect(await session.run('say Hi')).toEqual({
      kind: 'failed',
      reason: 'crash',
      detail: 'The agent process exited with code 4 before it finished the turn. no such flag',
    })
  })

  test('because the agent closed its output ends its process too', async () => {
    session = await scriptedSession()
    const turn = await session.begin('hangup')
    expect(await turn.ended).toMatchObject({ reason: 'crash', detail: expect.stringContaining('closed its output') })
    expect(await stillRunning([turn.identity])).toEqual([])
  })

  test('because it wants a sign-in that nobody named says so', async () => {
    session = await scriptedSession({ environment: { SCRIPTED_AUTH: 'required' } })
    expect(await session.run('say Hi')).toMatchObject({ kind: 'failed', reason: 'auth' })
    expect(session.named).toEqual([])
  })

  test('because the program does not speak the protocol says what to look at', async () => {
    const agent = { command: 'cat', args: [], timeouts: { answerMs: 300, graceMs: 500, exitMs: 500 } }
    session = await scriptedSession({ agent })
    expect(await session.run('say Hi')).toMatchObject({ kind: 'failed', reason: 'agent_error' })
  })

  test('because the agent speaks another version of the protocol says which', async () => {
    session = await scriptedSession({ environment: { SCRIPTED_VERSION: '7' } })
    expect(await session.run('say Hi')).toMatchObject({ detail: expect.stringContaining('version 7') })
  })

  test('because our disk does is a fault of ours, and leaves no agent behind', async () => {
    session = await scriptedSession()
    await session.run('say Hi')
    const [file] = await session.runtime.transcriptFiles(session.conversation)
    await rm(String(file?.path))
    await mkdir(String(file?.path))
    const turn = await session.begin('say Hi')
    await expect(turn.ended).rejects.toThrow(/EISDIR/)
    expect(await stillRunning([turn.identity])).toEqual([])
  })
})

describe('an agent that misbehaves', () => {
  test('and prints what is no message is heard all the same', async () => {
    session = await scriptedSession()
    expect(await session.run('garbage Loading...\nstrange news\nsay Hi')).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toBe('text: Hi')
    expect(session.notices).toEqual([
      'The agent prints text that is not a protocol message; Yardmaster ignores it: Loading...',
    ])
  })

  test('and sends news that are too long is heard without them', async () => {
    session = await scriptedSession()
    expect(await session.run(`huge ${17 * 1024 * 1024}\nsay Hi`)).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toBe('text: Hi')
    const [file] = await session.runtime.transcriptFiles(session.conversation)
    expect((await stat(String(file?.path))).size).toBeLessThan(2000)
    expect(session.notices).toEqual([expect.stringContaining('missing in the transcript')])
  })

  test('and sends an answer that is too long fails, because somebody may wait for it', async () => {
    session = await scriptedSession()
    expect(await session.run(`hugeanswer ${17 * 1024 * 1024}\nstream`)).toMatchObject({
      kind: 'failed',
      reason: 'agent_error',
    })
  })
})
