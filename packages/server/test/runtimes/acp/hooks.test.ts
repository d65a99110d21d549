import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Hook, type HookEvent, hookEvents, noEquipment } from '../../../src/runtimes/equipment.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

let session: ScriptedSession

afterEach(() => session.remove())

const moments = ['session_start', 'pre_tool_call', 'post_tool_call', 'stop', 'session_end'] as const

/** A hook that appends what it is told to `told` in the working directory, and then does what `script` says. */
async function makeHook(event: HookEvent, { script = '', ...rest }: Partial<Hook> & { script?: string } = {}) {
  const folder = join(session.conversation.home, `hook-${event}`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'tell.sh'), `#!/bin/sh\ncat >> told\necho >> told\n${script}\n`)
  await chmod(join(folder, 'tell.sh'), 0o755)
  const hook: Hook = {
    ...{ id: `tell-of-${event}`, folder, event, command: './tell.sh', args: [], env: {} },
    ...{ timeoutSeconds: undefined, matcher: undefined },
    ...rest,
  }
  return hook
}

async function told(): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(session.conversation.workingDirectory, 'told'), 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

async function* earlierLines(): AsyncGenerator<string> {
  yield JSON.stringify({ type: 'user', message: { role: 'user', content: 'Something said before' } })
}

describe('hooks of an agent whose protocol has none', () => {
  test('run at their moments, in order, and are told what other agents tell theirs', async () => {
    session = await scriptedSession()
    const hooks = await Promise.all(moments.map((moment) => makeHook(moment)))
    expect(await session.runtime.equip(session.conversation, { ...noEquipment, hooks })).toEqual([])
    expect(await session.run('run ls', { equipment: { hooks } })).toEqual({ kind: 'completed' })
    const tool = { tool_name: 'execute', tool_title: 'ls', tool_input: { command: 'ls' } }
    expect(await told()).toMatchObject([
      { hook_event_name: 'SessionStart', session_id: session.conversation.id },
      { hook_event_name: 'PreToolUse', ...tool },
      { hook_event_name: 'PostToolUse', ...tool, tool_response: { content: 'output of ls', is_error: false } },
      { hook_event_name: 'Stop', cwd: session.conversation.workingDirectory },
      { hook_event_name: 'SessionEnd' },
    ])
    expect(session.notices).toEqual([])
  })

  test('of moments that the protocol does not tell of are left out, with a sentence for each', async () => {
    session = await scriptedSession()
    const hooks = await Promise.all(hookEvents.map((event) => makeHook(event)))
    const unseen = hookEvents.filter((event) => !moments.some((moment) => moment === event))
    expect(await session.runtime.equip(session.conversation, { ...noEquipment, hooks })).toEqual(
      unseen.map(
        (event) => `The hook tell-of-${event} is left out: the protocol that drives scripted does not report ${event}.`,
      ),
    )
  })

  test('may object to a call that the agent asks about, which is then refused', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { script: 'echo "not on a Friday" >&2; exit 2' })]
    expect(await session.run('ask to deploy', { equipment: { hooks } })).toEqual({ kind: 'completed' })
    expect((await session.said()).at(-1)).toBe('text: got reject_once-id')
    expect(await told()).toMatchObject([{ tool_use_id: 'asked', tool_title: 'to deploy' }])
    expect(session.notices).toEqual(['The hook tell-of-pre_tool_call objected: not on a Friday'])
  })

  test('are about the tools that their matcher names: a name or a pattern for the whole of it', async () => {
    session = await scriptedSession()
    const about = async (matcher: string) => ({ ...(await makeHook('pre_tool_call')), id: matcher, matcher })
    const hooks = await Promise.all(['execute', 'ex.*|edit', '*', 'exec', 'edit'].map(about))
    expect(await session.run('run ls', { equipment: { hooks } })).toEqual({ kind: 'completed' })
    expect(await told()).toHaveLength(3)
  })

  test('with a matcher that is none are left out, with a sentence', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { matcher: '(?i)execute' })]
    expect(await session.runtime.equip(session.conversation, { ...noEquipment, hooks })).toEqual([
      expect.stringMatching(/^The hook tell-of-pre_tool_call is left out: its matcher cannot be used \(.*\)\.$/),
    ])
  })

  test('have matchers that cannot be made to take for ever by the name of a tool', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { matcher: '(\\w+_?)+' })]
    const call = { sessionUpdate: 'tool_call', toolCallId: 'x', kind: `${'a'.repeat(40)}!`, status: 'in_progress' }
    expect(await session.run(`tell ${JSON.stringify(call)}`, { equipment: { hooks } })).toEqual({ kind: 'completed' })
    // Nobody knows whether it is about that tool, so it is asked.
    expect(await told()).toHaveLength(1)
  })

  test('have their own variables and none of the keys', async () => {
    session = await scriptedSession({ environment: { PROVIDER_KEY: 'sesame' } })
    const env = { MOOD: 'cheerful' }
    const script = 'echo "{\\"mood\\":\\"$MOOD\\",\\"key\\":\\"$PROVIDER_KEY\\"}" >> told'
    await session.run('say Hi', { equipment: { hooks: [await makeHook('stop', { env, script })] } })
    expect(await told()).toMatchObject([{ hook_event_name: 'Stop' }, { mood: 'cheerful', key: '' }])
  })

  test('that fail, take too long or are not there are matters for a notice, and the turn goes on', async () => {
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

  test('are asked about all that is known of a call, however it came in, and again when more is', async () => {
    session = await scriptedSession()
    const script = 'grep -q "rm -rf" told && exit 2'
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
    expect((await told()).map((moment) => moment.tool_input)).toEqual([{}, { command: 'rm -rf /' }, {}])
  })

  test('are asked by the name in a question, and about a call that was over before it is asked about again', async () => {
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

  test('hear what became known of a call after it began', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call'), await makeHook('post_tool_call')]
    const lines = [
      { sessionUpdate: 'tool_call', status: 'in_progress' },
      { sessionUpdate: 'tool_call_update', rawInput: { command: 'ls' } },
      { sessionUpdate: 'tool_call_update', status: 'completed' },
    ].map((update) => `tell ${JSON.stringify({ toolCallId: 'x', ...update })}`)
    await session.run(lines.join('\n'), { equipment: { hooks } })
    expect((await told()).map(({ hook_event_name, tool_input }) => [hook_event_name, tool_input])).toEqual([
      ['PreToolUse', {}],
      ['PreToolUse', { command: 'ls' }],
      ['PostToolUse', { command: 'ls' }],
    ])
  })

  test('that have not decided when the turn fails have not granted', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { script: 'until [ -e enough ]; do sleep 0.05; done' })]
    const asking = `askandfail ${JSON.stringify({ toolCallId: 'x', rawInput: { command: 'ls' } })}`
    expect(await session.run(asking, { equipment: { hooks } })).toMatchObject({ kind: 'failed' })
    expect(await told()).toHaveLength(1)
    expect((await session.heard('answered')).map(({ params }) => params)).toEqual([
      { outcome: { outcome: 'selected', optionId: 'reject_once-id' } },
    ])
  })

  test('see the whole input of a call, however long', async () => {
    session = await scriptedSession()
    const command = `${'# '.repeat(400_000)}\nrm -rf /`
    const call = { toolCallId: 'x', title: 'Terminal', rawInput: { command } }
    const hooks = [await makeHook('pre_tool_call')]
    await session.run(`permit ${JSON.stringify(call)}`, { equipment: { hooks } })
    expect(await told()).toMatchObject([{ tool_input: { command } }])
  })

  test('that object at length are heard all the same', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { script: 'head -c 300000 /dev/zero; exit 2' })]
    await session.run('ask to deploy', { equipment: { hooks } })
    expect((await session.said()).at(-1)).toBe('text: got reject_once-id')
  })

  test('keep what comes after a call waiting until they have run', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('pre_tool_call', { script: 'sleep 0.3; echo "{}" >> told' }), await makeHook('stop')]
    await session.run('run one\nrun two', { equipment: { hooks } })
    const names = (await told()).map((moment) => moment.hook_event_name ?? 'done')
    expect(names).toEqual(['PreToolUse', 'done', 'PreToolUse', 'done', 'Stop'])
  })

  test('show that the session is alive while they run', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('stop', { script: 'until [ -e enough ]; do sleep 0.05; done' })]
    const turn = await session.begin('say Hi', { equipment: { hooks } })
    await eventually(told, (moments) => moments.length === 1)
    const before = session.stirrings
    await eventually(
      async () => session.stirrings,
      (now) => now > before + 1,
    )
    await writeFile(join(session.conversation.workingDirectory, 'enough'), '')
    expect(await turn.ended).toEqual({ kind: 'completed' })
  })

  test('do not outlast a turn that failed', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('post_tool_call', { script: 'sleep 100; echo "{}" >> told' })]
    expect(await session.run('run one\ncrash', { equipment: { hooks } })).toMatchObject({ kind: 'failed' })
    expect(await session.leftBehind()).toEqual([])
  })

  test('are found with their turn, should nobody be left to end them', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('session_start', { script: 'exec sleep 100' })]
    const turn = await session.begin('say Hi', { equipment: { hooks } })
    await eventually(told, (moments) => moments.length === 1)
    expect((await session.leftBehind()).length).toBeGreaterThanOrEqual(2)
    await turn.interrupt()
    expect(await session.leftBehind()).toEqual([])
  })

  test('that are interrupted before the prompt leave the agent to be told all that it was to be told', async () => {
    session = await scriptedSession()
    session.conversation = { ...session.conversation, id: 'from-elsewhere' }
    await session.runtime.writeTranscript(session.conversation, earlierLines())
    const hooks = [await makeHook('session_start', { script: 'exec sleep 100' })]
    const equipment = { hooks, instructions: 'The goal is tea.' }
    const turn = await session.begin('say Hi', { equipment })
    await eventually(told, (moments) => moments.length === 1)
    await turn.interrupt()
    await turn.ended
    await session.run('say Again', { equipment: { ...equipment, hooks: [] } })
    const [{ params } = { params: {} }] = await session.heard('session/prompt')
    for (const part of ['Something said before', 'The goal is tea.']) expect(JSON.stringify(params)).toContain(part)
  })

  test('do not outlast an interrupt', async () => {
    session = await scriptedSession()
    const hooks = [await makeHook('session_start', { script: 'exec sleep 100' }), await makeHook('stop')]
    const turn = await session.begin('say Hi', { equipment: { hooks } })
    await eventually(told, (moments) => moments.length === 1)
    await turn.interrupt()
    expect(await turn.ended).toEqual({ kind: 'interrupted' })
    expect(await told()).toHaveLength(1)
    expect(await session.heard('session/prompt')).toEqual([])
  })
})
