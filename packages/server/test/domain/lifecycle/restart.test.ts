import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { recoveryPrompt } from '../../../src/domain/lifecycle/recovery-prompt.ts'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { putToSleep } from '../../../src/domain/lifecycle/sleep.ts'
import { admit } from '../../../src/domain/turns/admit.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { sampleRepository, testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { makeNextAgentIgnorePrompt } from '../../support/sessions/ignored-prompt.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, queue, turns, messages, reaches, settled, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects
afterEach(() => vi.restoreAllMocks())

const restart = (id: number) => restartSession(app.host.app, { id })

describe('a restart', () => {
  test('a restart of a failed session sends a recovery prompt and clears failure_reason and exit_status', async () => {
    const id = await create('fail on purpose')
    expect((await reaches(id, 'failed')).metadata).toMatchObject({ failure_reason: 'agent_error' })
    const { session, message } = await restart(id)
    expect(message).toBe('Session restarted')
    expect(session).toMatchObject({ status: 'waiting', running_job_id: expect.any(String) })
    expect(session.metadata).not.toHaveProperty('failure_reason')
    expect(session.metadata).not.toHaveProperty('exit_status')
    await reaches(id, 'needs_input')
    expect(await turns(id)).toMatchObject([{}, { source: 'recovery', prompt: recoveryPrompt, outcome: 'completed' }])
  })

  test('a restart of a sleeping session wakes it and sends a recovery prompt', async () => {
    const id = await rested()
    await putToSleep(app.host.app, { id })
    expect((await restart(id)).session.metadata).not.toHaveProperty('deliberate_sleep_at')
    await reaches(id, 'needs_input')
    expect(await turns(id)).toMatchObject([{}, { source: 'recovery' }])
  })

  test('a restart delivers the first queued message instead of a recovery prompt', async () => {
    const id = await create('fail on purpose')
    await reaches(id, 'failed')
    await queue(id, doing('queued-1'), 'its goal')
    await queue(id, doing('queued-2'))
    expect((await restart(id)).session.goal).toBe('its goal')
    await isDone('queued-2')
    await settled(id)
    expect((await turns(id)).map(({ source }) => source)).toEqual(['create', 'queued_message', 'queued_message'])
  })

  test('a restart sends the prompt again, from scratch, if its turn failed because the clone failed', async () => {
    const place = join(app.home, 'late-repository')
    const id = await create(doing('late'), { git_root: place })
    expect((await reaches(id, 'failed')).metadata).toMatchObject({ failure_reason: 'git_clone_failed' })
    await sampleRepository(place)
    expect((await restart(id)).message).toBe('Session restarted from scratch')
    await isDone('late')
    await reaches(id, 'needs_input')
    expect((await done()).filter((word) => word === 'late')).toHaveLength(1)
  })

  test('a restart sends the prompt of a failed clone before the queued messages, each once', async () => {
    const place = join(app.home, 'missing-repository')
    const id = await create(doing('first-0'), { git_root: place })
    await reaches(id, 'failed')
    for (const word of ['first-1', 'first-2']) await queue(id, doing(word))
    await restart(id)
    await eventually(
      () => turns(id),
      (all) => all.length === 2 && all.every(({ outcome }) => outcome === 'failed'),
    )
    await sampleRepository(place)
    await Promise.all([restart(id), restart(id)])
    await isDone('first-2')
    await settled(id)
    expect((await done()).filter((word) => word.startsWith('first'))).toEqual(['first-0', 'first-1', 'first-2'])
  })

  test('a restart runs a turn that was queued behind a failed clone only after the failed turn ran again', async () => {
    const place = join(app.home, 'later-repository')
    const id = await create(doing('waits-1'), { git_root: place })
    await app.pool.query("insert into turns (session_id, sequence, source, prompt) values ($1, 2, 'follow_up', $2)", [
      id,
      doing('waits-2'),
    ])
    await reaches(id, 'failed')
    await sampleRepository(place)
    await admit(app.host.app)
    expect(await turns(id)).toMatchObject([{ outcome: 'failed' }, { outcome: 'interrupted' }])
    const contents = (await messages(id)).map(({ content }) => content)
    expect(contents).toEqual([doing('waits-1'), doing('waits-2')])
    await restart(id)
    await isDone('waits-2')
    await reaches(id, 'needs_input')
    expect((await done()).filter((word) => word.startsWith('waits'))).toEqual(['waits-1', 'waits-2'])
  })

  test('a restart of a session without a prompt prepares its clone and leaves it at needs_input', async () => {
    const id = await create()
    const { session, message } = await restart(id)
    expect([session.status, message]).toEqual(['waiting', 'Session restarted from scratch'])
    expect(await reaches(id, 'needs_input')).toMatchObject({
      running_job_id: null,
      metadata: { clone_path: join(app.home, 'clones', `session-${id}`) },
    })
    expect((await stat(join(app.home, 'clones', `session-${id}`, 'README.md'))).isFile()).toBe(true)
  })

  test('a restart of a running session stops its agent first and then sends a recovery prompt', async () => {
    const { id } = await busy()
    const { metadata } = await reaches(id, 'running')
    expect((await restart(id)).session.status).toBe('waiting')
    await reaches(id, 'needs_input')
    await settled(id)
    expect(await processTable().identify(metadata.process_pid)).toBeUndefined()
    expect(await turns(id)).toMatchObject([
      { outcome: 'interrupted', withdrawn_by: 'restart' },
      { outcome: 'completed', source: 'recovery', prompt: recoveryPrompt },
    ])
  })

  test('a restart of a running session whose agent has not received the prompt delivers it once', async () => {
    makeNextAgentIgnorePrompt()
    const id = await create(doing('again'))
    await reaches(id, 'running')
    await restart(id)
    await isDone('again')
    await settled(id)
    await reaches(id, 'needs_input')
    expect((await done()).filter((word) => word === 'again')).toEqual(['again'])
  })

  test('a restart of a paused session whose agent has not stopped yet delivers the prompt once', async () => {
    makeNextAgentIgnorePrompt()
    const id = await create(doing('paused'))
    await reaches(id, 'running')
    await pauseSession(app.host.app, { id })
    await restart(id)
    await isDone('paused')
    await settled(id)
    await reaches(id, 'needs_input')
    expect((await done()).filter((word) => word === 'paused')).toEqual(['paused'])
  })

  test('a restart at any stage of a first turn runs its prompt once, or sends a recovery prompt to an agent that received it', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => create(doing(`moment-${index}`))))
    await Promise.all(
      ids.map(async (id, index) => {
        await wait(index * 60)
        await restart(id)
      }),
    )
    for (const [index, id] of ids.entries()) {
      await settled(id)
      await reaches(id, 'needs_input')
      const runs = (await done()).filter((word) => word === `moment-${index}`).length
      const isRecovered = (await turns(id)).some(({ source }) => source === 'recovery')
      expect([runs, isRecovered], `session ${id}`).toSatisfy(
        ([count, recovered]) => count === 1 || (count === 0 && recovered),
      )
    }
  })

  test('a restart while the agent starts stops that agent, and a new one gets the prompt', async () => {
    const { start } = demoRuntime
    let isFirst = true
    vi.spyOn(demoRuntime, 'start').mockImplementation((order) =>
      start({
        ...order,
        onUp: async (identity) => {
          if (isFirst) {
            isFirst = false
            await restart(id)
          }
          await order.onUp(identity)
        },
      }),
    )
    const id = await create()
    await app.post(`/sessions/${id}/follow_up`, { prompt: doing('coming-up') })
    await isDone('coming-up')
    await settled(id)
    await reaches(id, 'needs_input')
    expect((await done()).filter((word) => word === 'coming-up')).toEqual(['coming-up'])
  })

  test('a restart by 20 concurrent callers starts at most two recovery turns', async () => {
    const id = await rested()
    await Promise.all(Array.from({ length: 20 }, () => restart(id)))
    await settled(id)
    await reaches(id, 'needs_input')
    expect((await turns(id)).filter(({ source }) => source === 'recovery').length).toBeLessThanOrEqual(2)
  })

  test('a restart of forty sessions at the same time answers every caller', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => create()))
    const answers = await Promise.all(ids.map((id) => restart(id)))
    expect(answers).toHaveLength(40)
    for (const id of ids) await app.delete(`/sessions/${id}`)
  })
})

describe('a restart is refused', () => {
  test('a restart is refused for an archived session', async () => {
    const id = await rested()
    await archiveSession(app.host.app, { id }, { force: false })
    await expect(restart(id)).rejects.toMatchObject({
      kind: 'cannot_restart',
      messages: ['Session cannot be restarted from current status: archived. Unarchive it first.'],
    })
  })

  test('a restart is refused for a session with a transcript and without session_id', async () => {
    const id = await insertSession(app.pool, { status: 'failed' })
    await insertTranscript(app.pool, id, ['{}'])
    await expect(restart(id)).rejects.toMatchObject({
      kind: 'cannot_restart',
      messages: ['Session has no session_id'],
    })
  })
})
