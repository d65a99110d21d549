import { afterEach, describe, expect, test, vi } from 'vitest'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { putToSleep } from '../../../src/domain/lifecycle/sleep.ts'
import { demoRuntime } from '../../../src/runtimes/demo/demo.ts'
import { testApp } from '../../support/app/app.ts'
import { conversing } from '../../support/sessions/conversation.ts'
import { atRest, findDemo } from '../../support/sessions/demo-session.ts'

const app = testApp()
const { create, busy, rested, say, reaches, turns, messages, logs, settled, effects } = conversing(app)
const { doing, done, isDone } = effects
afterEach(() => vi.restoreAllMocks())

describe('a follow-up', () => {
  test('to a resting session is its next turn, and the prompt is on record', async () => {
    const id = await rested()
    const { delivery, session, message } = await say(id, doing('rest-1'))
    expect([delivery, message]).toEqual(['sent', undefined])
    expect(session).toMatchObject({ status: 'waiting', prompt: doing('rest-1'), running_job_id: expect.any(String) })
    await isDone('rest-1')
    await reaches(id, 'needs_input')
    expect(await messages(id)).toEqual([])
  })

  test('to a session that never ran starts it', async () => {
    const id = await create()
    expect((await say(id, doing('first-1'))).delivery).toBe('sent')
    await isDone('first-1')
    expect(await reaches(id, 'needs_input')).toMatchObject({ prompt: doing('first-1') })
  })

  test('to a sleeping session wakes it and takes the marks of sleep away', async () => {
    const id = await rested()
    expect(await putToSleep(app.host.app, { id })).toMatchObject({ status: 'waiting', running_job_id: null })
    const { delivery, session } = await say(id, doing('asleep-1'))
    expect([delivery, session.status]).toEqual(['sent', 'waiting'])
    expect(session.metadata).not.toHaveProperty('deliberate_sleep_at')
    await isDone('asleep-1')
  })

  test('to a running session waits in the queue, and the session goes on undisturbed', async () => {
    const { id, letGo } = await busy()
    const { delivery, session, message } = await say(id, doing('running-1'))
    expect(delivery).toBe('queued')
    expect(session.status).toBe('running')
    expect(message).toMatchObject({ position: 1, status: 'pending', origin: 'caller' })
    expect(await logs(id)).toContain('A message was queued at position 1.')
    await letGo()
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
  ])('to a %s session is refused, and nothing is kept of it', async (status, prompt) => {
    const id = await create(prompt)
    await atRest(app, id)
    if (status === 'archived')
      await app.pool.query("update sessions set status = 'archived', archived_at = now() where id = $1", [id])
    for (const isImmediate of [false, true]) {
      await expect(say(id, 'say no', { isImmediate })).rejects.toMatchObject({
        kind: 'cannot_follow_up',
        messages: [
          `Session is ${status}. Follow-up prompts can only be sent to running, waiting, or needs_input sessions.`,
        ],
      })
    }
    expect([await messages(id), (await turns(id)).length]).toEqual([[], 1])
  })

  test('to a paused session lets the oldest message go first', async () => {
    const { id } = await busy()
    await say(id, doing('paused-1'))
    await pauseSession(app.host.app, { id })
    await say(id, doing('paused-2'))
    await isDone('paused-2')
    expect((await done()).filter((word) => word.startsWith('paused'))).toEqual(['paused-1', 'paused-2'])
  })
})

describe('a follow-up that will not wait', () => {
  test('takes the place of the running turn', async () => {
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

  test('is simply delivered where nothing runs', async () => {
    const id = await rested()
    await say(id, doing('now-2'), { isImmediate: true })
    await isDone('now-2')
    await settled(id)
    expect(await turns(id)).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }])
  })
})

describe('a goal that is said with a prompt', () => {
  test('is set at once when the prompt is the next turn', async () => {
    const id = await rested({ goal: 'first goal' })
    expect((await say(id, 'say a', { goal: 'second goal' })).session.goal).toBe('second goal')
    await settled(id)
    expect((await say(id, 'say b', { goal: '' })).session.goal).toBe('second goal')
    await settled(id)
    expect((await say(id, 'say c')).session.goal).toBe('second goal')
  })

  test('is set when a queued prompt is delivered, and not before', async () => {
    const { id, letGo } = await busy()
    expect((await say(id, doing('goal-1'), { goal: 'queued goal' })).session.goal).toBeNull()
    await letGo()
    await isDone('goal-1')
    expect((await findDemo(app, id)).goal).toBe('queued goal')
  })

  test('is set when the prompt takes the place of a turn', async () => {
    const { id } = await busy()
    expect((await say(id, 'say now', { goal: 'urgent goal', isImmediate: true })).session.goal).toBe('urgent goal')
    await settled(id)
  })

  test('is what the agent is given, in this turn and in those that follow without one', async () => {
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
