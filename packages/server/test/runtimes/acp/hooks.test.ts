import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Hook, type HookEvent, hookEvents, noEquipment } from '../../../src/runtimes/equipment.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

let session: ScriptedSession

afterEach(() => session.remove())

const moments = ['session_start', 'pre_tool_call', 'post_tool_call', 'stop', 'session_end'] as const

/** A hook that appends its input to `hook-input` in the working directory, then runs `script`. */
async function makeHook(event: HookEvent, { script = '', ...rest }: Partial<Hook> & { script?: string } = {}) {
  const folder = join(session.conversation.home, `hook-${event}`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'tell.sh'), `#!/bin/sh\ncat >> hook-input\necho >> hook-input\n${script}\n`)
  await chmod(join(folder, 'tell.sh'), 0o755)
  const hook: Hook = {
    ...{ id: `tell-of-${event}`, folder, event, command: './tell.sh', args: [], env: {} },
    ...{ timeoutSeconds: undefined, matcher: undefined },
    ...rest,
  }
  return hook
}

async function hookInput(): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(session.conversation.workingDirectory, 'hook-input'), 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

async function* earlierLines(): AsyncGenerator<string> {
  yield JSON.stringify({ type: 'user', message: { role: 'user', content: 'Something said before' } })
}

describe('hooks of an ACP agent', () => {
  test('run on their events in order, with the input that other agents give their hooks', async () => {
    session = await scriptedSession()
    const hooks = await Promise.all(moments.map((moment) => makeHook(moment)))
    expect(await session.runtime.equip(session.conversation, { ...noEquipment, hooks })).toEqual([])
    expect(await session.run('run ls', { equipment: { hooks } })).toEqual({ kind: 'completed' })
    const tool = { tool_name: 'execute', tool_title: 'ls', tool_input: { command: 'ls' } }
    expect(await hookInput()).toMatchObject([
      { hook_event_name: 'SessionStart', session_id: session.conversation.id },
      { hook_event_name: 'PreToolUse', ...tool },
      { hook_event_name: 'PostToolUse', ...tool, tool_response: { content: 'output of ls', is_error: false } },
      { hook_event_name: 'Stop', cwd: session.conversation.workingDirectory },
      { hook_event_name: 'SessionEnd' },
    ])
    expect(session.notices).toEqual([])
  })

  test('hooks of an ACP agent of events that the protocol does not report are left out with a sentence each', async () => {
    session = await scriptedSession()
    const hooks = await Promise.all(hookEvents.map((event) => makeHook(event)))
    const unseen = hookEvents.filter((event) => !moments.some((moment) => moment === event))
    expect(await session.runtime.equip(session.conversation, { ...noEquipment, hooks })).toEqual(
      unseen.map(
        (event) => `The hook tell-of-${event} is left out: the protocol that drives scripted does not report ${event}.`,
      ),
    )
  })

  test('refuse a call that the agent asks permission for', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { script: 'echo "not on a Friday" >&2; exit 2' })]
    expect(await session.run('ask to deploy', { equipment: { hooks } })).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toBe('text: got reject_once-id')
    expect(await hookInput()).toMatchObject([{ tool_use_id: 'asked', tool_title: 'to deploy' }])
    expect(session.notices).toEqual(['The hook tell-of-pre_tool_call objected: not on a Friday'])
  })

  test('apply to the tools that their matcher names by a name or a pattern for the whole name', async () => {
    session = await scriptedSession()
    const about = async (matcher: string) => ({ ...(await makeHook('pre_tool_call')), id: matcher, matcher })
    const hooks = await Promise.all(['execute', 'ex.*|edit', '*', 'exec', 'edit'].map(about))
    expect(await session.run('run ls', { equipment: { hooks } })).toEqual({ kind: 'completed' })
    expect(await hookInput()).toHaveLength(3)
  })

  test('hooks of an ACP agent with an invalid matcher are left out with a sentence', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { matcher: '(?i)execute' })]
    expect(await session.runtime.equip(session.conversation, { ...noEquipment, hooks })).toEqual([
      expect.stringMatching(/^The hook tell-of-pre_tool_call is left out: its matcher cannot be used \(.*\)\.$/),
    ])
  })

  test('hooks of an ACP agent have matchers with a time limit, whatever the name of a tool', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { matcher: '(\\w+_?)+' })]
    const call = { sessionUpdate: 'tool_call', toolCallId: 'x', kind: `${'a'.repeat(40)}!`, status: 'in_progress' }
    expect(await session.run(`tell ${JSON.stringify(call)}`, { equipment: { hooks } })).toEqual({ kind: 'completed' })
    // The matcher timed out, so the hook runs.
    expect(await hookInput()).toHaveLength(1)
  })

  test('get their own variables and no provider key', async () => {
    session = await scriptedSession({ environment: { PROVIDER_KEY: 'sesame' } })
    const env = { MOOD: 'cheerful' }
    const script = 'echo "{\\"mood\\":\\"$MOOD\\",\\"key\\":\\"$PROVIDER_KEY\\"}" >> hook-input'
    await session.run('say Hi', { equipment: { hooks: [await makeHook('stop', { env, script })] } })
    expect(await hookInput()).toMatchObject([{ hook_event_name: 'Stop' }, { mood: 'cheerful', key: '' }])
  })

  test('hooks of an ACP agent that fail, time out or are missing are logged, and the turn continues', async () => {
    session = await scriptedSession()
    const hooks = [
      await makeHook('session_start', { script: 'echo "no disk" >&2; exit 7' }),
      await makeHook('stop', { script: 'sleep 100', timeoutSeconds: 1 }),
      await makeHook('session_end', { command: './nowhere.sh' }),
    ]
    expect(await session.run('say Hi', { equipment: { hooks } })).toEqual({ kind: 'completed' })
    expect(session.notices).toEqual([
      'The hook tell-of-session_start exited with code 7: no disk',
      'The hook tell-of-stop took too long',
      expect.stringContaining('The hook tell-of-session_end did not run'),
    ])
  })

  test('see everything reported about a call, and run again when an update adds to it', async () => {
    session = await scriptedSession()
    const script = 'grep -q "rm -rf" hook-input && exit 2'
    const hooks = [await makeHook('pre_tool_call', { script, matcher: 'execute' })]
    const call = { toolCallId: 'x', sessionUpdate: 'tool_call', kind: 'execute', title: 'Terminal' }
    const lines = [
      `tell ${JSON.stringify({ ...call, status: 'in_progress' })}`,
      `permit ${JSON.stringify({ toolCallId: 'x', rawInput: { command: 'rm -rf /' } })}`,
      `tell ${JSON.stringify({ ...call, toolCallId: 'y', title: 'rm -rf /' })}`,
      `permit ${JSON.stringify({ toolCallId: 'y' })}`,
    ]
    expect(await session.run(lines.join('\n'), { equipment: { hooks } })).toEqual({ kind: 'completed' })
    expect(await session.said()).toContain('text: got reject_once-idgot reject_once-id')
    expect((await hookInput()).map((moment) => moment.tool_input)).toEqual([{}, { command: 'rm -rf /' }, {}])
  })

  test('match the name in a permission request, also for a call that had ended', async () => {
    session = await scriptedSession()
    const about = async (matcher: string) => ({ ...(await makeHook('pre_tool_call', { script: 'exit 2' })), matcher })
    const hooks = [await about('Bash'), await about('execute')]
    const named = { toolCallId: 'x', rawInput: { command: 'ls' }, _meta: { claudeCode: { toolName: 'Bash' } } }
    const over = { sessionUpdate: 'tool_call', toolCallId: 'y', kind: 'execute', status: 'failed' }
    const lines = [
      `permit ${JSON.stringify(named)}`,
      `tell ${JSON.stringify(over)}`,
      `permit ${JSON.stringify({ toolCallId: 'y', rawInput: { command: 'rm' } })}`,
    ]
    await session.run(lines.join('\n'), { equipment: { hooks } })
    const answers = (await session.said()).filter((block) => block.startsWith('text: '))
    expect(answers).toEqual(['text: got reject_once-id', 'text: got reject_once-id'])
  })

  test('see what is reported about a call after it began', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call'), await makeHook('post_tool_call')]
    const lines = [
      { sessionUpdate: 'tool_call', status: 'in_progress' },
      { sessionUpdate: 'tool_call_update', rawInput: { command: 'ls' } },
      { sessionUpdate: 'tool_call_update', status: 'completed' },
    ].map((update) => `tell ${JSON.stringify({ toolCallId: 'x', ...update })}`)
    await session.run(lines.join('\n'), { equipment: { hooks } })
    expect((await hookInput()).map(({ hook_event_name, tool_input }) => [hook_event_name, tool_input])).toEqual([
      ['PreToolUse', {}],
      ['PreToolUse', { command: 'ls' }],
      ['PostToolUse', { command: 'ls' }],
    ])
  })

  test('hooks of an ACP agent that have not decided when the turn fails do not grant the call', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { script: 'until [ -e enough ]; do sleep 0.05; done' })]
    const asking = `askandfail ${JSON.stringify({ toolCallId: 'x', rawInput: { command: 'ls' } })}`
    expect(await session.run(asking, { equipment: { hooks } })).toMatchObject({ kind: 'failed' })
    expect(await hookInput()).toHaveLength(1)
    expect((await session.requests('answered')).map(({ params }) => params)).toEqual([
      { outcome: { outcome: 'selected', optionId: 'reject_once-id' } },
    ])
  })

  test('see the whole input of a call, whatever its length', async () => {
    session = await scriptedSession()
    const command = `${'# '.repeat(400_000)}\nrm -rf /`
    const call = { toolCallId: 'x', title: 'Terminal', rawInput: { command } }
    const hooks = [await makeHook('pre_tool_call')]
    await session.run(`permit ${JSON.stringify(call)}`, { equipment: { hooks } })
    expect(await hookInput()).toMatchObject([{ tool_input: { command } }])
  })

  test('hooks of an ACP agent that refuse with a long output refuse the call', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { script: 'head -c 300000 /dev/zero; exit 2' })]
    await session.run('ask to deploy', { equipment: { hooks } })
    expect((await session.said()).at(-1)).toBe('text: got reject_once-id')
  })

  test('delay the messages after a call until they have run', async () => {
    session = await scriptedSession()
    const hooks = [
      await makeHook('pre_tool_call', { script: 'sleep 0.3; echo "{}" >> hook-input' }),
      await makeHook('stop'),
    ]
    await session.run('run one\nrun two', { equipment: { hooks } })
    const names = (await hookInput()).map((moment) => moment.hook_event_name ?? 'done')
    expect(names).toEqual(['PreToolUse', 'done', 'PreToolUse', 'done', 'Stop'])
  })

  test('count as activity of the session while they run', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('stop', { script: 'until [ -e enough ]; do sleep 0.05; done' })]
    const turn = await session.begin('say Hi', { equipment: { hooks } })
    await eventually(hookInput, (moments) => moments.length === 1)
    const before = session.stirrings
    await eventually(
      async () => session.stirrings,
      (now) => now > before + 1,
    )
    await writeFile(join(session.conversation.workingDirectory, 'enough'), '')
    expect(await turn.ended).toEqual({ kind: 'completed' })
  })

  test('end with a turn that failed', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('post_tool_call', { script: 'sleep 100; echo "{}" >> hook-input' })]
    expect(await session.run('run one\ncrash', { equipment: { hooks } })).toMatchObject({ kind: 'failed' })
    expect(await session.leftBehind()).toEqual([])
  })

  test('carry the run marker of their turn, so that a sweep finds them', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('session_start', { script: 'exec sleep 100' })]
    const turn = await session.begin('say Hi', { equipment: { hooks } })
    await eventually(hookInput, (moments) => moments.length === 1)
    expect((await session.leftBehind()).length).toBeGreaterThanOrEqual(2)
    await turn.interrupt()
    expect(await session.leftBehind()).toEqual([])
  })

  test('hooks of an ACP agent that an interrupt stops before the prompt do not make the agent miss its instructions', async () => {
    session = await scriptedSession()
    session.conversation = { ...session.conversation, id: 'from-elsewhere' }
    await session.runtime.writeTranscript(session.conversation, earlierLines())
    const hooks = [await makeHook('session_start', { script: 'exec sleep 100' })]
    const equipment = { hooks, instructions: 'The goal is tea.' }
    const turn = await session.begin('say Hi', { equipment })
    await eventually(hookInput, (moments) => moments.length === 1)
    await turn.interrupt()
    await turn.ended
    await session.run('say Again', { equipment: { ...equipment, hooks: [] } })
    const [{ params } = { params: {} }] = await session.requests('session/prompt')
    for (const part of ['Something said before', 'The goal is tea.']) expect(JSON.stringify(params)).toContain(part)
  })

  test('hooks of an ACP agent end with an interrupt', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('session_start', { script: 'exec sleep 100' }), await makeHook('stop')]
    const turn = await session.begin('say Hi', { equipment: { hooks } })
    await eventually(hookInput, (moments) => moments.length === 1)
    await turn.interrupt()
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await hookInput()).toHaveLength(1)
    expect(await session.requests('session/prompt')).toEqual([])
  })
})
