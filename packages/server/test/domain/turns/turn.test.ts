import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { variableNames } from '../../../src/app/config.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { demoRuntime } from '../../../src/runtimes/demo/demo.ts'
import { sampleRepository, testApp } from '../../support/app/app.ts'
import { atRest, entriesOf, onceItIs, startDemo } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { start } = demoRuntime
afterEach(() => vi.restoreAllMocks())

let folder: string
let git_root: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-turn-'))
  git_root = await sampleRepository(join(folder, 'repository'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a session on its way', () => {
  test('waits with its turn named, runs while the agent does, and names no turn at rest', async () => {
    const created = await startDemo(app, { git_root, lines: ['sleep 0.5'] })
    expect(created).toMatchObject({ status: 'waiting', session_id: null, job_id: expect.any(String) })
    expect(created.running_job_id).toBe(created.job_id)

    const underway = await onceItIs(app, created.id, 'running')
    expect(underway).toMatchObject({ job_id: created.job_id, running_job_id: created.job_id })
    expect(underway.metadata.runtime_started).toBe(true)
    expect(await processTable().identify(underway.metadata.process_pid)).toBeDefined()

    const rested = await atRest(app, created.id)
    expect(rested).toMatchObject({ status: 'needs_input', job_id: created.job_id, running_job_id: null })
    const { rows } = await app.pool.query('select cause, turn_id from session_transitions where session_id = $1', [
      created.id,
    ])
    expect(rows.map(({ cause }) => cause)).toEqual(['turn_started', 'turn_ended'])
    expect(rows.every(({ turn_id }) => turn_id === created.job_id)).toBe(true)
  })

  test('without a prompt nothing runs', async () => {
    const { body } = await app.post('/sessions', { agent_runtime: 'demo', git_root })
    expect(body.session).toMatchObject({ status: 'waiting', job_id: null, running_job_id: null })
    const { rows } = await app.pool.query('select from turns where session_id = $1', [body.session.id])
    expect(rows).toEqual([])
  })

  test('has its clone and its conversation on record before the agent starts', async () => {
    const atStart = vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
      const { rows } = await app.pool.query('select session_id, metadata from sessions where id = $1', [id])
      expect(rows[0].session_id).toBe(order.conversation.id)
      expect(rows[0].metadata.clone_path).toBe(join(app.home, 'clones', `session-${id}`))
      return start(order)
    })
    const { id } = await startDemo(app, { git_root, lines: ['say hi'] })
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect(atStart).toHaveBeenCalledOnce()
  })
})

describe.concurrent('what the agent is given', () => {
  test('of our own variables and secrets nothing', async () => {
    const { id } = await startDemo(app, { git_root, lines: ['run env'] })
    await atRest(app, id)
    const [, , result] = await entriesOf(app, id)
    const names = (result.message.content[0].content as string).split('\n').map((line) => line.split('=', 1)[0] ?? '')
    expect(names).toContain('PATH')
    expect(names.filter((name) => [...variableNames, 'POSTGRES', 'PGPASSWORD'].includes(name))).toEqual([])
  })
})

describe.concurrent('a turn that cannot begin', () => {
  test.each([
    { what: 'a branch that is not there', change: { branch: 'no-such-branch' }, words: /no-such-branch/ },
    { what: 'a repository that is not there', change: { git_root: '/nowhere/at-all' }, words: /./ },
  ])('$what fails the session as git_clone_failed and leaves no agent', async ({ change, words }) => {
    const { id } = await startDemo(app, { git_root, lines: ['say hi'], ...change })
    const session = await atRest(app, id)
    expect(session).toMatchObject({
      status: 'failed',
      running_job_id: null,
      metadata: { failure_reason: 'git_clone_failed', exit_status: expect.stringMatching(words) },
    })
    expect(session.metadata).not.toHaveProperty('process_pid')
  })

  test('a subdirectory that is not there fails the session as clone_validation_failed', async () => {
    const { id } = await startDemo(app, { git_root, lines: ['say hi'], subdirectory: 'no/such/place' })
    expect((await atRest(app, id)).metadata).toMatchObject({ failure_reason: 'clone_validation_failed' })
  })
})

describe.concurrent('an agent that is killed', () => {
  test('fails its session as a crash, takes its tools along and holds up nobody', async () => {
    const pidFile = join(folder, 'tool-pid')
    const { id } = await startDemo(app, {
      git_root,
      lines: ['say working', `run setsid sh -c 'echo $$ > ${pidFile}; exec sleep 120'`],
    })
    const tool = Number(
      await eventually(
        () => readFile(pidFile, 'utf8').catch(() => ''),
        (text) => text.endsWith('\n'),
      ),
    )
    const { metadata } = await onceItIs(app, id, 'running')
    process.kill(metadata.process_pid, 'SIGKILL')

    const session = await atRest(app, id)
    expect(session).toMatchObject({ status: 'failed', running_job_id: null, metadata: { failure_reason: 'crash' } })
    expect(session.metadata.exit_status).toBe('The agent process was killed by SIGKILL before it finished the turn.')
    expect(await processTable().identify(tool)).toBeUndefined()
    expect(JSON.stringify(await entriesOf(app, id))).toContain('working')

    const next = await startDemo(app, { git_root, lines: ['say next'] })
    expect((await atRest(app, next.id)).status).toBe('needs_input')
  })
})

describe('an agent that stirs once and then says nothing for long', () => {
  test('is read all the same, even if nobody listened when it stirred', async () => {
    vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
      let stirred = (): void => undefined
      const hasStirred = new Promise<void>((resolve) => {
        stirred = resolve
      })
      const running = await start({
        ...order,
        onActivity: () => {
          order.onActivity()
          stirred()
        },
      })
      await hasStirred
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

describe('a fault of ours while the agent works', () => {
  test('stops the agent, and the session says that it was us', async () => {
    const pids: number[] = []
    vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
      const running = await start(order)
      pids.push(running.identity.pid)
      return { ...running, ended: Promise.reject(new Error('a fault')) }
    })
    const { id } = await startDemo(app, { git_root, lines: ['sleep 120'] })
    expect(await atRest(app, id)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'exception' } })
    for (const pid of pids) expect(await processTable().identify(pid)).toBeUndefined()
    expect(pids).toHaveLength(1)
  })
})

test('a session that is deleted while the lines of its agent are read is no fault of ours', async () => {
  const complaint = vi.spyOn(app.host.app.log, 'error')
  const end = vi.spyOn(app.host.app.metrics.turnSeconds, 'observe')
  vi.spyOn(demoRuntime, 'transcriptFiles').mockImplementation(async () => {
    await app.delete(`/sessions/${id}`)
    throw new Error('there is nowhere to put them')
  })
  const { id } = await startDemo(app, { git_root, lines: ['say the last word'] })
  await vi.waitFor(() => expect(end).toHaveBeenCalledWith({ outcome: 'lost' }, expect.any(Number)), { timeout: 20_000 })
  expect(complaint).not.toHaveBeenCalled()
})

describe.concurrent('a session that is deleted mid-turn', () => {
  test('has its agent stopped', async () => {
    const { id } = await startDemo(app, { git_root, lines: ['sleep 120'] })
    const { metadata } = await onceItIs(app, id, 'running')
    expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
    await eventually(
      () => processTable().identify(metadata.process_pid),
      (found) => found === undefined,
    )
  })
})
