import { afterEach, describe, expect, test, vi } from 'vitest'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { transition } from '../../../src/domain/sessions/session.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { SpawnFailed } from '../../../src/platform/process/spawn-failed.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { testApp } from '../../support/app/app.ts'
import { agentGate } from '../../support/sessions/agent-gate.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { makeNextAgentIgnorePrompt } from '../../support/sessions/ignored-prompt.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, queue, turns, messages, reaches, settled, logs, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects
const { start } = demoRuntime
afterEach(() => vi.restoreAllMocks())

/** Kills the agent of the session's turn once its process is recorded, `times` times. */
async function killAgents(id: number, times: number): Promise<void> {
  const killed = new Set<number>()
  while (killed.size < times) {
    const [turn] = await eventually(
      () => turns(id),
      ([first]) => first?.state === 'executing' && first.pid !== null && !killed.has(Number(first.pid)),
    )
    killed.add(Number(turn?.pid))
    process.kill(Number(turn?.pid), 'SIGKILL')
  }
}

const pending = async (id: number) =>
  (await messages(id)).filter(({ status }) => status === 'pending').map(({ content }) => content)

describe('an agent that dies before it receives the prompt', () => {
  test('an agent that dies before it receives the prompt gets the prompt at the next start, before the message that was queued behind it', async () => {
    makeNextAgentIgnorePrompt()
    const id = await create(doing('one'))
    await queue(id, doing('two'))
    await killAgents(id, 1)
    await isDone('two')
    await settled(id)
    expect((await done()).filter((word) => word === 'one' || word === 'two')).toEqual(['one', 'two'])
    expect(await turns(id)).toMatchObject([{ outcome: 'completed', failed_starts: 1 }, { outcome: 'completed' }])
    expect(await logs(id)).toContainEqual(
      expect.stringMatching(/failed before the agent received the prompt \(crash\)/),
    )
  })

  test('an agent that dies before it receives the prompt fails the session at the third start and leaves the prompt pending ahead of the queue', async () => {
    for (let start = 0; start < 3; start += 1) makeNextAgentIgnorePrompt()
    const id = await create(doing('third-one'))
    await queue(id, doing('third-two'))
    await killAgents(id, 3)
    expect(await reaches(id, 'failed')).toMatchObject({ metadata: { failure_reason: 'crash' } })
    expect(await pending(id)).toEqual([doing('third-one'), doing('third-two')])
    expect(await turns(id)).toMatchObject([{ outcome: 'failed', failure_reason: 'crash', started_at: null }])

    await restartSession(app.host.app, { id })
    await isDone('third-two')
    expect((await done()).filter((word) => word.startsWith('third'))).toEqual(['third-one', 'third-two'])
  })

  test('an agent that dies before it receives the prompt leaves the prompt pending at once if the failure would repeat, with later turns behind it', async () => {
    vi.spyOn(demoRuntime, 'start').mockRejectedValueOnce(
      new SpawnFailed({ command: 'demo', reason: 'there is no such program', cause: undefined }),
    )
    const id = await create(doing('spawn-one'))
    await reaches(id, 'failed')
    expect(await turns(id)).toMatchObject([{ failure_reason: 'spawn_failed', failed_starts: 0 }])
    expect(await pending(id)).toEqual([doing('spawn-one')])
    await queue(id, doing('spawn-two'))
    await restartSession(app.host.app, { id })
    await isDone('spawn-two')
    expect((await done()).filter((word) => word.startsWith('spawn'))).toEqual(['spawn-one', 'spawn-two'])
  })

  test('an agent that dies before it receives the prompt gets the prompt at the next start after an internal error, such as a full disk', async () => {
    vi.spyOn(demoRuntime, 'equip').mockRejectedValueOnce(Object.assign(new Error('full'), { code: 'ENOSPC' }))
    const id = await create(doing('full-disk'))
    await isDone('full-disk')
    await settled(id)
    expect(await turns(id)).toMatchObject([{ outcome: 'completed', failed_starts: 1 }])
  })
})

describe('a session that is parked for an authorisation while its turn', () => {
  const park = (id: number) =>
    transact(app.host.app.db, (tx) =>
      transition(app.host.app, tx, {
        sessionId: id,
        cause: 'authorization_required',
        with: { metadata: { failure_reason: 'oauth_required' } },
      }),
    )

  test('parking a session for an authorisation while its turn starts ends the turn, and a restart delivers the prompt once', async () => {
    let parked = false
    vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
      const [{ id }] = (await app.pool.query('select id from sessions order by id desc limit 1')).rows
      await park(id)
      parked = true
      return start(order)
    })
    const id = await create(doing('parked'))
    await eventually(
      async () => parked,
      (isParked) => isParked,
    )
    await settled(id)
    expect(await reaches(id, 'failed')).toMatchObject({ metadata: { failure_reason: 'oauth_required' } })
    expect(await pending(id)).toEqual([doing('parked')])
    await restartSession(app.host.app, { id })
    await isDone('parked')
    await settled(id)
    expect((await done()).filter((word) => word === 'parked')).toHaveLength(1)
  })

  test.each([
    ['completes', `say done`],
    ['fails', 'fail on purpose'],
  ])('parking a session for an authorisation while its turn %s lets the turn end all the same', async (_, lastLine) => {
    const gate = agentGate(app.shared)
    const id = await create(`${gate.line}\n${lastLine}`)
    await reaches(id, 'running')
    // No request parks a running session; a status that no rule expects must not strand the turn either.
    await app.pool.query("update sessions set status = 'failed' where id = $1", [id])
    await gate.open()
    await settled(id)
    expect(await reaches(id, 'failed')).toMatchObject({ status: 'failed' })
  })
})
