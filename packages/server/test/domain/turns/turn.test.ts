import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { variableNames } from '../../../src/app/config.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { sampleRepository, testApp } from '../../support/app/app.ts'
import { newSleep, pidsOf } from '../../support/processes/by-command.ts'
import { agentGate } from '../../support/sessions/agent-gate.ts'
import { atRest, entriesOf, startDemo, waitForStatus } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { start, transcriptFiles } = demoRuntime
afterEach(() => vi.restoreAllMocks())

let folder: string
let git_root: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-turn-'))
  git_root = await sampleRepository(join(folder, 'repository'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a session with a turn', () => {
  test('a session with a turn is waiting, then running while its agent runs, then needs input, and shows running_job_id only until then', async () => {
    const gate = agentGate(app.shared)
    const created = await startDemo(app, { git_root, lines: [gate.line] })
    expect(created).toMatchObject({ status: 'waiting', session_id: null, job_id: expect.any(String) })
    expect(created.running_job_id).toBe(created.job_id)

    const underway = await waitForStatus(app, created.id, 'running')
    expect(underway).toMatchObject({ job_id: created.job_id, running_job_id: created.job_id })
    expect(underway.metadata.runtime_started).toBe(true)
    expect(await processTable().identify(underway.metadata.process_pid)).toBeDefined()
    await gate.open()
    const rested = await atRest(app, created.id)
    expect(rested).toMatchObject({ status: 'needs_input', job_id: created.job_id, running_job_id: null })
    const { rows } = await app.pool.query('select cause, turn_id from session_transitions where session_id = $1', [
      created.id,
    ])
    expect(rows.map(({ cause }) => cause)).toEqual(['turn_started', 'turn_ended'])
    expect(rows.every(({ turn_id }) => turn_id === created.job_id)).toBe(true)
  })

  test('a session has no turn if it was created without a prompt', async () => {
    const { body } = await app.post('/sessions', { agent_runtime: 'demo', git_root })
    expect(body.session).toMatchObject({ status: 'waiting', job_id: null, running_job_id: null })
    const { rows } = await app.pool.query('select from turns where session_id = $1', [body.session.id])
    expect(rows).toEqual([])
  })

  test('a session with a turn has its clone path and conversation id stored before the agent starts', async () => {
    const atStart = vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
      const { id } = await starting
      const { rows } = await app.pool.query('select session_id, metadata from sessions where id = $1', [id])
      expect(rows[0].session_id).toBe(order.conversation.id)
      expect(rows[0].metadata.clone_path).toBe(join(app.home, 'clones', `session-${id}`))
      return start(order)
    })
    // The agent may start before the request is answered.
    const starting = startDemo(app, { git_root, lines: ['say hi'] })
    const { id } = await starting
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect(atStart).toHaveBeenCalledOnce()
  })
})

describe.concurrent('the environment of an agent', () => {
  test("the environment of an agent contains none of the service's own variables and secrets", async () => {
    const { id } = await startDemo(app, { git_root, lines: ['run env'] })
    await atRest(app, id)
    const [, , result] = await entriesOf(app, id)
    const names = (result.message.content[0].content as string).split('\n').map((line) => line.split('=', 1)[0] ?? '')
    expect(names).toContain('PATH')
    expect(names.filter((name) => [...variableNames, 'POSTGRES', 'PGPASSWORD'].includes(name))).toEqual([])
  })
})

describe.concurrent('a turn that cannot start', () => {
  test.each([
    { what: 'an unknown branch', change: { branch: 'no-such-branch' }, words: /no-such-branch/ },
    { what: 'an unknown repository', change: { git_root: '/nowhere/at-all' }, words: /./ },
  ])('$what fails the session with git_clone_failed and starts no agent', async ({ change, words }) => {
    const { id } = await startDemo(app, { git_root, lines: ['say hi'], ...change })
    const session = await atRest(app, id)
    expect(session).toMatchObject({
      status: 'failed',
      running_job_id: null,
      metadata: { failure_reason: 'git_clone_failed', exit_status: expect.stringMatching(words) },
    })
    expect(session.metadata).not.toHaveProperty('process_pid')
  })

  test('an unknown subdirectory fails the session with clone_validation_failed', async () => {
    const { id } = await startDemo(app, { git_root, lines: ['say hi'], subdirectory: 'no/such/place' })
    expect((await atRest(app, id)).metadata).toMatchObject({ failure_reason: 'clone_validation_failed' })
  })
})

describe.concurrent('an agent that is killed', () => {
  test('an agent that is killed fails its session with reason crash, its tools are ended too, and other sessions still run', async () => {
    const command = newSleep()
    const { id } = await startDemo(app, {
      git_root,
      lines: ['say working', `run setsid ${command}`],
    })
    await eventually(
      () => pidsOf(command),
      (pids) => pids.length === 1,
    )
    const { metadata } = await waitForStatus(app, id, 'running')
    process.kill(metadata.process_pid, 'SIGKILL')

    const session = await atRest(app, id)
    expect(session).toMatchObject({ status: 'failed', running_job_id: null, metadata: { failure_reason: 'crash' } })
    expect(session.metadata.exit_status).toBe('The agent process was killed by SIGKILL before it finished the turn.')
    expect(await pidsOf(command)).toEqual([])
    expect(JSON.stringify(await entriesOf(app, id))).toContain('working')

    const next = await startDemo(app, { git_root, lines: ['say next'] })
    expect((await atRest(app, next.id)).status).toBe('needs_input')
  })
})

describe('an agent that is active only before supervision starts', () => {
  test('still has its first lines stored', async () => {
    vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
      let onFirstActivity = (): void => undefined
      const wasActive = new Promise<void>((resolve) => {
        onFirstActivity = resolve
      })
      const running = await start({
        ...order,
        onActivity: () => {
          order.onActivity()
          onFirstActivity()
        },
      })
      await wasActive
      return running
    })
    const { id } = await startDemo(app, { git_root, lines: ['sleep 120'] })
    await eventually(
      () => entriesOf(app, id),
      (entries) => entries.length === 1,
    )
    await app.delete(`/sessions/${id}`)
  })
})

describe('an internal error while the agent runs and has its prompt', () => {
  test('an internal error while the agent runs and has its prompt stops the agent and fails the session with reason exception', async () => {
    const pids: number[] = []
    vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
      const running = await start(order)
      pids.push(running.identity.pid)
      await eventually(
        () => demoRuntime.transcriptFiles(order.conversation),
        (files) => files.length > 0,
      )
      return { ...running, ended: Promise.reject(new Error('a fault')) }
    })
    const { id } = await startDemo(app, { git_root, lines: ['sleep 120'] })
    expect(await atRest(app, id)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'exception' } })
    for (const pid of pids) expect(await processTable().identify(pid)).toBeUndefined()
    expect(pids).toHaveLength(1)
  })
})

test('deleting a session while its transcript is read logs no error', async () => {
  const logError = vi.spyOn(app.host.app.log, 'error')
  const end = vi.spyOn(app.host.app.metrics.turnSeconds, 'observe')
  vi.spyOn(demoRuntime, 'transcriptFiles').mockImplementation(async (conversation) => {
    // The agent may write before the request that started it is answered.
    const { id } = await starting
    // The sweep of costs reads other sessions at any moment.
    if (!conversation.home.endsWith(`/session-${id}`)) return transcriptFiles(conversation)
    await app.delete(`/sessions/${id}`)
    throw new Error('the session is gone')
  })
  const starting = startDemo(app, { git_root, lines: ['say the last word'] })
  await expect.poll(() => end).toHaveBeenCalledWith({ outcome: 'lost' }, expect.any(Number))
  expect(logError).not.toHaveBeenCalled()
})

describe.concurrent('deleting a session during a turn', () => {
  test('deleting a session during a turn stops its agent', async () => {
    const { id } = await startDemo(app, { git_root, lines: ['sleep 120'] })
    const { metadata } = await waitForStatus(app, id, 'running')
    expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
    await eventually(
      () => processTable().identify(metadata.process_pid),
      (found) => found === undefined,
    )
  })
})
