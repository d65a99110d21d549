import { mkdir, rm, stat } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { stillRunning } from '../../support/processes/server-process.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

/** For an agent that does not end by itself. */
const hurried = { timeouts: { answerMs: 120_000, graceMs: 500, exitMs: 500 } }

let session: ScriptedSession
afterEach(() => session.remove())

describe('a turn', () => {
  test('a turn completes, and the transcript holds whole blocks', async () => {
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

  test('a turn reports the conversation id and writes the prompt to the transcript before the agent gets it', async () => {
    session = await scriptedSession()
    const turn = await session.begin('stream')
    await eventually(
      () => session.requests('session/prompt'),
      (requests) => requests.length === 1,
    )
    expect(session.named).toHaveLength(1)
    expect(await session.said()).toEqual(['user: stream'])
    await turn.interrupt()
  })

  test('a turn counts its usage once, with cached tokens', async () => {
    session = await scriptedSession()
    expect(await session.run('say Hi\nusage 100 20 30 10', { model: 'default' })).toEqual({ kind: 'completed' })
    const usages = (await session.lines()).flatMap((line) => session.runtime.usageOf(line) ?? [])
    expect(usages).toMatchObject([
      { input_tokens: 100, output_tokens: 20, cache_read_tokens: 30, cache_creation_tokens: 10, model: 'default' },
    ])
    expect(await session.said()).toEqual(['user: say Hi\nusage 100 20 30 10', 'text: Hi'])
  })

  test('a turn grants a permission request for this call only', async () => {
    session = await scriptedSession()
    await session.run('ask to delete everything')
    expect((await session.said()).at(-1)).toBe('text: got allow_once-id')
  })

  test('a turn declines a question and offers no access to files', async () => {
    session = await scriptedSession()
    expect(await session.run('question Which one?\nfile /etc/passwd')).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toMatch(/^text: got decline.*method not found/i)
    expect(session.notices).toEqual(['The agent asked a question, which Yardmaster declined: Which one?'])
  })

  test('a turn closes the call of a tool that never ended', async () => {
    session = await scriptedSession()
    await session.run('begin something long')
    expect((await session.said()).slice(1)).toEqual([
      'tool_use: tool {"title":"something long"}',
      'tool_result: The turn ended before the tool did.',
    ])
  })

  test("a turn keeps the transcript in its folder if the agent's session id looks like a path", async () => {
    session = await scriptedSession({ environment: { SCRIPTED_SESSION_ID: '../../elsewhere/x' } })
    await session.run('crash now')
    expect(session.named).toEqual(['../../elsewhere/x'])
    const [file] = await session.runtime.transcriptFiles(session.conversation)
    expect(file?.path).toMatch(/\/home\/transcripts\/[0-9a-f]{64}\.jsonl$/)
  })

  test('a turn gives the agent the configured variables and no others', async () => {
    const environment = { PASSED: 'yes', KEPT: 'no', PATH: process.env.PATH }
    session = await scriptedSession({ agent: { passEnvironment: ['PASSED'], environment } })
    await session.run('environment PASSED\nenvironment KEPT', { equipment: { environment: { KEPT: '' } } })
    expect((await session.said()).at(-1)).toBe('text: PASSED=yesKEPT=')
  })

  test('has an agent of Claude Code wait for its MCP servers and send no telemetry, unless the runtimes file says otherwise', async () => {
    const prompt = 'environment MCP_CONNECTION_NONBLOCKING\nenvironment DISABLE_TELEMETRY'
    session = await scriptedSession()
    await session.run(prompt)
    expect((await session.said()).at(-1)).toBe('text: MCP_CONNECTION_NONBLOCKING=0DISABLE_TELEMETRY=1')
    session = await scriptedSession({ environment: { MCP_CONNECTION_NONBLOCKING: '1' } })
    await session.run(prompt)
    expect((await session.said()).at(-1)).toBe('text: MCP_CONNECTION_NONBLOCKING=1DISABLE_TELEMETRY=1')
  })
})

describe('an interrupted turn', () => {
  test('an interrupted turn ends by protocol and keeps the text up to then', async () => {
    session = await scriptedSession()
    const turn = await session.begin('stream')
    await eventually(
      () => session.requests('session/prompt'),
      (requests) => requests.length === 1,
    )
    await Promise.all([turn.interrupt(), turn.interrupt()])
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await session.requests('session/cancel')).toHaveLength(1)
    expect((await session.said()).at(-1)).toMatch(/^text: on and /)
  })

  test('an interrupted turn kills an agent that ignores the cancel', async () => {
    session = await scriptedSession({ agent: hurried })
    const turn = await session.begin('deaf')
    await eventually(
      () => session.requests('session/prompt'),
      (requests) => requests.length === 1,
    )
    await turn.interrupt()
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await stillRunning([turn.identity])).toEqual([])
  })

  test('an interrupted turn sends no prompt to an agent that had not started', async () => {
    session = await scriptedSession()
    const turn = await session.begin('say Hi')
    await turn.interrupt()
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await session.requests('session/prompt')).toEqual([])
    expect(await session.lines()).toEqual([])
  })
})

describe('a turn that fails', () => {
  test('a turn that fails by an error has the reason of the error', async () => {
    session = await scriptedSession()
    expect(await session.run('say Hm\nerror -32603 API Error: 429 slow down')).toEqual({
      kind: 'failed',
      reason: 'rate_limit',
      detail: expect.stringMatching(/^API Error: 429 slow down: from the provider\. /),
    })
    expect((await session.said()).at(-1)).toBe('text: Hm')
  })

  test('a turn that fails because the process died reports the exit and the last of standard error', async () => {
    session = await scriptedSession()
    expect(await session.run('say I\ncrash out of memory')).toEqual({
      kind: 'failed',
      reason: 'crash',
      detail: 'The agent process exited with code 3 before it finished the turn. out of memory',
    })
    expect((await session.said()).at(-1)).toBe('text: I')
  })

  test('a turn that fails because the process died before its first message reports the same', async () => {
    session = await scriptedSession({ agent: { command: 'sh', args: ['-c', 'echo no such flag >&2; exit 4'] } })
    expect(await session.run('say Hi')).toEqual({
      kind: 'failed',
      reason: 'crash',
      detail: 'The agent process exited with code 4 before it finished the turn. no such flag',
    })
  })

  test('a turn that fails because the agent closed its output kills the process', async () => {
    session = await scriptedSession({ agent: hurried })
    const turn = await session.begin('hangup')
    expect(await turn.ended).toMatchObject({ reason: 'crash', detail: expect.stringContaining('closed its output') })
    expect(await stillRunning([turn.identity])).toEqual([])
  })

  test('a turn that fails because the agent requires a sign-in says so', async () => {
    session = await scriptedSession({ environment: { SCRIPTED_AUTH: 'required' } })
    expect(await session.run('say Hi')).toMatchObject({ kind: 'failed', reason: 'auth' })
    expect(session.named).toEqual([])
  })

  test('a turn that fails because the program does not speak the protocol says what to check', async () => {
    const agent = { command: 'cat', args: [], timeouts: { answerMs: 300, graceMs: 500, exitMs: 500 } }
    session = await scriptedSession({ agent })
    expect(await session.run('say Hi')).toMatchObject({ kind: 'failed', reason: 'agent_error' })
  })

  test('a turn that fails because the agent speaks another version of the protocol names the version', async () => {
    session = await scriptedSession({ environment: { SCRIPTED_VERSION: '7' } })
    expect(await session.run('say Hi')).toMatchObject({ detail: expect.stringContaining('version 7') })
  })

  test('a turn that fails because its transcript cannot be written rejects, and leaves no agent running', async () => {
    session = await scriptedSession()
    await session.run('say Hi')
    const [file] = await session.runtime.transcriptFiles(session.conversation)
    await rm(String(file?.path))
    await mkdir(String(file?.path))
    const turn = await session.begin('say Hi')
    await expect(turn.ended).rejects.toThrow(/is not a regular file/)
    expect(await stillRunning([turn.identity])).toEqual([])
  })
})

describe('an agent that misbehaves', () => {
  test('an agent that misbehaves and prints text that is not a message completes its turn', async () => {
    session = await scriptedSession()
    expect(await session.run('garbage Loading...\nstrange news\nsay Hi')).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toBe('text: Hi')
    expect(session.notices).toEqual([
      'The agent prints text that is not a protocol message; Yardmaster ignores it: Loading...',
    ])
  })

  test('an agent that misbehaves and sends an oversized update completes its turn without it', async () => {
    session = await scriptedSession()
    expect(await session.run(`huge ${17 * 1024 * 1024}\nsay Hi`)).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toBe('text: Hi')
    const [file] = await session.runtime.transcriptFiles(session.conversation)
    expect((await stat(String(file?.path))).size).toBeLessThan(2000)
    expect(session.notices).toEqual([expect.stringContaining('missing in the transcript')])
  })

  test('an agent that misbehaves and sends an oversized answer fails, because a request waits for it', async () => {
    session = await scriptedSession()
    expect(await session.run(`hugeanswer ${17 * 1024 * 1024}\nstream`)).toMatchObject({
      kind: 'failed',
      reason: 'agent_error',
    })
  })
})
