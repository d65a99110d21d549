import { afterEach, describe, expect, test, vi } from 'vitest'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { putToSleep } from '../../../src/domain/lifecycle/sleep.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { atRest, findDemo } from '../../support/sessions/demo-session.ts'

const app = testApp()
const { create, busy, rested, say, reaches, turns, messages, logs, settled, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects
afterEach(() => vi.restoreAllMocks())

describe('a follow-up', () => {
  test('a follow-up to a resting session becomes its next turn and its stored prompt', async () => {
    const id = await rested()
    const { delivery, session, message } = await say(id, doing('rest-1'))
    expect([delivery, message]).toEqual(['sent', undefined])
    expect(session).toMatchObject({ status: 'waiting', prompt: doing('rest-1'), running_job_id: expect.any(String) })
    await isDone('rest-1')
    await reaches(id, 'needs_input')
    expect(await messages(id)).toEqual([])
  })

  test('a follow-up to a session that never ran starts its first turn', async () => {
    const id = await create()
    expect((await say(id, doing('first-1'))).delivery).toBe('sent')
    await isDone('first-1')
    expect(await reaches(id, 'needs_input')).toMatchObject({ prompt: doing('first-1') })
  })

  test('a follow-up to a sleeping session wakes it and clears deliberate_sleep_at', async () => {
    const id = await rested()
    expect(await putToSleep(app.host.app, { id })).toMatchObject({ status: 'waiting', running_job_id: null })
    const { delivery, session } = await say(id, doing('asleep-1'))
    expect([delivery, session.status]).toEqual(['sent', 'waiting'])
    expect(session.metadata).not.toHaveProperty('deliberate_sleep_at')
    await isDone('asleep-1')
  })

  test('a follow-up to a running session is queued and delivered when the running turn ends', async () => {
    const { id, release } = await busy()
    const { delivery, session, message } = await say(id, doing('running-1'))
    expect(delivery).toBe('queued')
    expect(session.status).toBe('running')
    expect(message).toMatchObject({ position: 1, status: 'pending', origin: 'caller' })
    expect(await logs(id)).toContain('A message was queued at position 1.')
    await release()
    await isDone('running-1')
    await reaches(id, 'needs_input')
    expect(await turns(id)).toMatchObject([
      { outcome: 'completed' },
      { outcome: 'completed', source: 'queued_message' },
    ])
    expect(await messages(id)).toMatchObject([{ status: 'sent', position: 1 }])
  })

  test.each([
    ['failed', 'fail on purpose'],
    ['archived', 'say ready'],
  ])('a follow-up to a %s session is refused and stores nothing', async (status, prompt) => {
    const id = await create(prompt)
    await atRest(app, id)
    if (status === 'archived')
      await app.pool.query("update sessions set status = 'archived', archived_at = now() where id = $1", [id])
    for (const isImmediate of [false, true]) {
      await expect(say(id, 'say no', { isImmediate })).rejects.toMatchObject({
        kind: 'cannot_follow_up',
        messages: [
          `Session is ${status}. Follow-up prompts can only be sent to running, waiting, or needs_input sessions.`,
          expect.stringContaining(status === 'failed' ? '/restart' : '/unarchive'),
        ],
      })
    }
    expect([await messages(id), (await turns(id)).length]).toEqual([[], 1])
  })

  test('a follow-up to a paused session is delivered after the messages that are already queued', async () => {
    const { id } = await busy()
    await say(id, doing('paused-1'))
    await pauseSession(app.host.app, { id })
    await say(id, doing('paused-2'))
    await isDone('paused-2')
    expect((await done()).filter((word) => word.startsWith('paused'))).toEqual(['paused-1', 'paused-2'])
  })
})

describe('an immediate follow-up', () => {
  test('an immediate follow-up interrupts the running turn', async () => {
    const { id } = await busy()
    const { delivery, session } = await say(id, doing('now-1'), { isImmediate: true })
    expect([delivery, session.status]).toEqual(['interrupted', 'waiting'])
    await isDone('now-1')
    await reaches(id, 'needs_input')
    expect(await turns(id)).toMatchObject([
      { outcome: 'interrupted', withdrawn_by: 'interrupt' },
      { outcome: 'completed', id: session.running_job_id },
    ])
  })

  test('an immediate follow-up to a resting session is delivered without an interrupt', async () => {
    const id = await rested()
    await say(id, doing('now-2'), { isImmediate: true })
    await isDone('now-2')
    await settled(id)
    expect(await turns(id)).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }])
  })
})

describe('the goal of a follow-up', () => {
  test('the goal of a follow-up is set at once if the prompt becomes the next turn', async () => {
    const id = await rested({ goal: 'first goal' })
    expect((await say(id, 'say a', { goal: 'second goal' })).session.goal).toBe('second goal')
    await settled(id)
    expect((await say(id, 'say b', { goal: '' })).session.goal).toBe('second goal')
    await settled(id)
    expect((await say(id, 'say c')).session.goal).toBe('second goal')
  })

  test('the goal of a follow-up is set when a queued prompt is delivered, not before', async () => {
    const { id, release } = await busy()
    expect((await say(id, doing('goal-1'), { goal: 'queued goal' })).session.goal).toBeNull()
    await release()
    await isDone('goal-1')
    expect((await findDemo(app, id)).goal).toBe('queued goal')
  })

  test('the goal of a follow-up is set at once if the prompt interrupts a turn', async () => {
    const { id } = await busy()
    expect((await say(id, 'say now', { goal: 'urgent goal', isImmediate: true })).session.goal).toBe('urgent goal')
    await settled(id)
  })

  test('the goal of a follow-up is passed to the agent in this turn and in later turns without a goal', async () => {
    const start = vi.spyOn(demoRuntime, 'start')
    const id = await rested({ goal: 'made with' })
    await say(id, 'say b', { goal: 'said later' })
    await reaches(id, 'needs_input')
    await say(id, 'say c')
    await reaches(id, 'needs_input')
    const orders = start.mock.calls
      .map(([order]) => order)
      .filter(({ conversation }) => conversation.home.endsWith(`-${id}`))
    expect(orders.map(({ equipment }) => equipment.instructions)).toEqual([
      expect.stringContaining('made with'),
      expect.stringContaining('said later'),
      expect.stringContaining('said later'),
    ])
  })
})
