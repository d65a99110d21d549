import { rm } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { runtimeHome } from '../../src/domain/workspaces/folders.ts'
import { newSleep, toolRunning } from '../support/processes/by-command.ts'
import { stillRunning } from '../support/processes/server-process.ts'
import { atRest, entriesOf, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { agentYard, expectNothingDoubled } from './support/agent-yard.ts'
import { agents } from './support/agents.ts'

// Sessions of a whole server with each real agent and a scripted model: what holds for every agent.

const { app, begin, work, say, restart, asked, toldWith, isAsked, rows } = agentYard()

describe.each(agents)('a session of $runtime', (agent) => {
  test('runs a tool and answers, and stores the usage that the model reports', async () => {
    const id = await work(agent, 'usage 1100 22 300 44\nrun echo from the shell\nusage 500 6 70 8\nsay Done')
    const text = await textOf(app, id)
    expect(text).toMatch(/^--- User ---\nusage 1100 22 300 44\nrun echo from the shell\n/)
    expect(text).toContain('--- Assistant ---\nDone\n')
    expect(text).toMatch(/\[tool_use: .*echo from the shell/)
    expect(text).toMatch(/\[tool_result\] .*from the shell/s)
    expect(await usages(id)).toEqual(scriptedUsages[agent.runtime])
  })

  test('changes its own session with the tools that every agent gets', async () => {
    const title = `Named by ${agent.runtime} itself`
    const id = await work(agent, `tool action_session {"action":"update_title","title":"${title}"}\nsay Named`)
    expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({
      title,
      injected_mcp_servers: ['yardmaster-self-session'],
    })
    expect(await textOf(app, id)).toMatch(/action_session.*Named/s)
    expect(JSON.stringify(await rows('select line from transcript_entries where session_id = $1', id))).not.toMatch(
      /ymt_[\w-]{43}/,
    )
  })

  test('stores the transcript of a subagent', async () => {
    const id = await work(agent, 'subagent say From below\nsay From above')
    const threads = await rows('select thread, line from transcript_entries where session_id = $1', id)
    const below = threads.filter(({ line }) => String(line).includes('From below')).map(({ thread }) => thread)
    // The protocol reports a subagent's work as its parent's tool call.
    if (agent.runtime === 'claude-acp') return expect(new Set(below)).toEqual(new Set(['main']))
    expect(below).toContainEqual(expect.not.stringMatching(/^main$/))
    const { length } = (await usages(id)).filter((usage) => usage.endsWith('true'))
    expect(length).toBe(1)
  })

  test('continues with another model, and its fork continues from its entry', async () => {
    const id = await work(agent, 'say The first answer')
    const last = (await entriesOf(app, id)).length - 1
    expect(await app.patch(`/sessions/${id}/model`, { model: agent.otherModel })).toMatchObject({ status: 200 })
    expect(await say(id, 'say The second answer')).toMatchObject({ status: 'needs_input' })
    expect(asked('say The second answer')?.model).toContain(agent.otherModelAsked)
    expect(toldWith('say The second answer')).toContain('say The first answer')

    const fork = await app.post(`/sessions/${id}/fork`, { message_index: last })
    expect(fork).toMatchObject({ status: 201 })
    const forkId: number = fork.body.session.id
    expect(await say(forkId, 'say The answer of the fork')).toMatchObject({ status: 'needs_input' })
    expect(toldWith('say The answer of the fork')).toContain('say The first answer')
    expect(toldWith('say The answer of the fork')).not.toContain('The second answer')
    expect(await textOf(app, forkId)).toMatch(/The first answer.*The answer of the fork/s)
    await expectNothingDoubled(app, forkId)
  })

  test('is paused in the middle of an answer and continues', async () => {
    const id = await begin(agent, `say ${agent.runtime} begins\nwait 60\nsay Never`)
    await isAsked(`say ${agent.runtime} begins`)
    await eventually(
      () => rows('select started_at from turns where session_id = $1', id),
      ([turn]) => turn?.started_at !== null,
    )
    await pause(id)
    expect(await say(id, 'say On we go')).toMatchObject({ status: 'needs_input' })
    expect(await textOf(app, id)).toContain('On we go')
    await expectNothingDoubled(app, id)
  })

  test('is paused in the middle of a tool, which ends too, and continues', async () => {
    const sleep = newSleep()
    const id = await begin(agent, `run exec ${sleep}\nsay Never`)
    const tool = await toolRunning(sleep)
    await pause(id)
    expect(await stillRunning([tool])).toEqual([])
    expect(await say(id, 'say On we go')).toMatchObject({ status: 'needs_input' })
    expect(toldWith('say On we go')).toContain(sleep)
    await expectNothingDoubled(app, id)
  })

  test('whose agent is killed fails, leaves no tool running and continues', async () => {
    const sleep = newSleep()
    const id = await begin(agent, `run exec ${sleep}\nsay Never`)
    const tool = await toolRunning(sleep)
    const [turn] = await rows('select pid from turns where session_id = $1', id)
    process.kill(Number(turn?.pid), 'SIGKILL')
    expect(await atRest(app, id)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'crash' } })
    expect(await stillRunning([tool])).toEqual([])
    expect(await restart(id)).toMatchObject({ status: 'needs_input' })
    expect(await say(id, 'say On we go')).toMatchObject({ status: 'needs_input' })
    expect(toldWith('say On we go')).toContain(sleep)
    await expectNothingDoubled(app, id)
  })

  test('whose agent has lost its files continues from the stored entries', async () => {
    const id = await work(agent, 'say The word is plover')
    const before = (await entriesOf(app, id)).length
    await rm(runtimeHome(app.host.app, id), { recursive: true })
    expect(await say(id, 'say What was it')).toMatchObject({ status: 'needs_input' })
    expect(toldWith('say What was it')).toContain('The word is plover')
    expect((await entriesOf(app, id)).length).toBeGreaterThan(before)
    await expectNothingDoubled(app, id)
  })

  test('accepts a prompt of half a million characters', async () => {
    const prompt = `say Read\n${'long text '.repeat(49_999)}`.trimEnd()
    const id = await work(agent, prompt)
    // Compares lengths: a failure would print half a million characters.
    expect(asked('say Read')?.prompt.includes(prompt)).toBe(true)
    expect((await textOf(app, id)).includes(prompt)).toBe(true)
  })
})

/** Per call, sorted by input: input, output, cache read, cache written, and whether a subagent made it. */
const scriptedUsages = {
  runtime_alpha: ['500 6 70 8 false', '1100 22 300 44 false'],
  // The provider counts cached tokens as input too, and does not report cache writes.
  runtime_beta: ['430 6 70 0 false', '800 22 300 0 false'],
  // An ACP agent reports the usage of a whole turn.
  'claude-acp': ['1600 28 370 52 false'],
}

async function usages(id: number): Promise<string[]> {
  const used = await rows(
    `select input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, subagent
     from session_usage where session_id = $1 order by input_tokens`,
    id,
  )
  return used.map((row) => Object.values(row).join(' '))
}

async function pause(id: number): Promise<void> {
  expect(await app.post(`/sessions/${id}/pause`)).toMatchObject({ status: 200 })
  expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
  await eventually(
    () => rows('select outcome from turns where session_id = $1', id),
    ([turn]) => turn?.outcome === 'interrupted',
  )
}
