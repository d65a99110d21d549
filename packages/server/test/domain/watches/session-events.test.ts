import { beforeEach, describe, expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { deleteSession } from '../../../src/domain/lifecycle/delete.ts'
import { transition } from '../../../src/domain/sessions/session.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { byHand } from '../../support/triggers/by-hand.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()
const { work, waiting, pass } = byHand(app)

const watching = (event_name: string) => ({ condition_type: 'ao_event', configuration: { event_name } })
const resting = (columns = {}) => insertSession(app.pool, { status: 'needs_input', ...columns })
const running = (columns = {}) => insertSession(app.pool, { status: 'running', ...columns })
const archive = (id: number) => archiveSession(app.host.app, { id }, { force: true })
const move = (sessionId: number, cause: 'turn_ended' | 'turn_failed' | 'resume' | 'turn_started' | 'unarchive') =>
  transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId, cause }))
const spawnedBy = async (id: number): Promise<{ prompt: string; genesis: string }[]> =>
  (await app.pool.query(`select prompt, genesis from sessions where metadata ->> 'trigger_id' = $1`, [String(id)])).rows
const promptsOf = async (id: number): Promise<string[]> =>
  (await app.pool.query('select prompt from turns where session_id = $1 order by sequence', [id])).rows.map(
    ({ prompt }) => prompt,
  )
const exists = async (id: number): Promise<boolean> => (await app.get(`/triggers/${id}`)).status === 200

beforeEach(async () => {
  await work()
  await app.pool.query('delete from triggers')
})

describe('a trigger on any session', () => {
  test('fires at once for a session that was archived or failed, with a sentence about it', async () => {
    const archived = await app.trigger({
      trigger_conditions_attributes: [watching('session_archived')],
      prompt_template: 'say {{event}}',
    })
    const failed = await app.trigger({ trigger_conditions_attributes: [watching('session_failed')] })
    const [one, other] = [await resting({ title: 'Fix login' }), await running()]
    await archive(one)
    await move(other, 'turn_failed')
    await work()
    expect(await spawnedBy(archived)).toEqual([
      { genesis: 'ao_event', prompt: `say Session ${one} ("Fix login") was archived` },
    ])
    expect(await spawnedBy(failed)).toHaveLength(1)
  })

  test('leaves sessions alone that are not autonomous, that it spawned, that it follows up, and summaries', async () => {
    const own = await resting()
    const trigger = await app.trigger({
      trigger_conditions_attributes: [watching('session_archived')],
      reuse_session: true,
      last_session_id: own,
    })
    const others = [
      await resting({ is_autonomous: false }),
      await resting({ metadata: { trigger_id: trigger } }),
      await resting({ summary_of_session_id: own }),
    ]
    for (const id of [own, ...others]) await archive(id)
    await work()
    expect(await app.fires(trigger)).toEqual([])
  })

  test('fires for one that needs input after thirty seconds of rest', async () => {
    const trigger = await app.trigger({ trigger_conditions_attributes: [watching('session_needs_input')] })
    await move(await running(), 'turn_ended')
    await work()
    expect(await waiting()).toEqual([30])
    expect(await spawnedBy(trigger)).toEqual([])
    await pass(30)
    await work()
    expect(await spawnedBy(trigger)).toHaveLength(1)
  })

  test('does not fire for a rest that a prompt has ended meanwhile', async () => {
    const trigger = await app.trigger({ trigger_conditions_attributes: [watching('session_needs_input')] })
    const id = await running()
    await move(id, 'turn_ended')
    await work()
    for (const cause of ['resume', 'turn_started', 'turn_ended'] as const) await move(id, cause)
    await pass(30)
    await work()
    expect(await app.fires(trigger)).toEqual([])
    await pass(30)
    await work()
    expect(await app.fires(trigger)).toMatchObject([{ outcome: 'spawned', times: 1 }])
  })

  test('does not fire for a session that returns from the archive', async () => {
    const trigger = await app.trigger({ trigger_conditions_attributes: [watching('session_needs_input')] })
    const id = await resting()
    await archive(id)
    await move(id, 'unarchive')
    await work()
    expect(await waiting()).toEqual([])
    expect(await app.fires(trigger)).toEqual([])
  })

  test('fires once for two conditions that the same event matches', async () => {
    const twice = [watching('session_archived'), watching('session_archived')]
    const trigger = await app.trigger({ trigger_conditions_attributes: twice })
    await archive(await resting())
    await work()
    expect(await spawnedBy(trigger)).toHaveLength(1)
  })
})

describe('a watch on one session', () => {
  test('wakes the session that waits for it once, and is removed', async () => {
    const [watched, target] = [await resting(), await resting()]
    const wake = await armWake(app, target, { event_name: 'session_archived', watched_session_id: watched })
    expect(await app.session(target)).toMatchObject({ status: 'waiting' })
    await archive(await resting())
    await work()
    expect(await exists(wake)).toBe(true)
    await archive(watched)
    await work()
    expect(await exists(wake)).toBe(false)
    expect(await promptsOf(target)).toEqual(['say awake'])
  })

  test('on a session that is in the state already fires at once, also when it is enabled later', async () => {
    const [watched, target, other] = [await resting(), await resting(), await resting()]
    await armWake(app, target, { event_name: 'session_needs_input', watched_session_id: watched })
    const disabled = await armWake(
      app,
      other,
      { event_name: 'session_needs_input', watched_session_id: watched },
      { status: 'disabled' },
    )
    await work()
    expect(await promptsOf(target)).toEqual(['say awake'])
    expect(await promptsOf(other)).toEqual([])
    await app.post(`/triggers/${disabled}/toggle`)
    await work()
    expect(await promptsOf(other)).toEqual(['say awake'])
  })

  test('misses nothing when the state changes while twenty wakes are armed', async () => {
    const watched = await resting()
    const targets = await Promise.all(Array.from({ length: 20 }, () => resting()))
    const watch = { event_name: 'session_archived', watched_session_id: watched }
    await Promise.all([...targets.map((target) => armWake(app, target, watch)), archive(watched)])
    await work()
    for (const target of targets) expect(await promptsOf(target)).toEqual(['say awake'])
  })

  test('for another event is removed with the session, and a session that sleeps on nothing else is told', async () => {
    const [archived, deleted] = [await resting(), await resting()]
    const [one, two, three] = [await resting(), await resting(), await resting()]
    const watch = (id: number) => ({ event_name: 'session_failed', watched_session_id: id })
    const wakes = [await armWake(app, one, watch(archived)), await armWake(app, two, watch(deleted))]
    wakes.push(await armWake(app, three, watch(deleted)))
    const kept = await armWake(app, three, { scheduled_at: '2041-01-01T00:00' })
    await archive(archived)
    await deleteSession(app.host.app, { id: deleted })
    await work()
    expect(await Promise.all(wakes.map(exists))).toEqual([false, false, false])
    expect((await promptsOf(one))[0]).toContain(`Session ${archived}, which you were waiting for, was archived.`)
    expect((await promptsOf(two))[0]).toContain(`Session ${deleted}, which you were waiting for, was deleted.`)
    expect(await exists(kept)).toBe(true)
    expect(await promptsOf(three)).toEqual([])
  })

  test('that keeps failing is retried with growing pauses, then parked as failed', async () => {
    const watched = await resting()
    const trigger = await app.trigger({
      agent_root_name: 'nowhere',
      trigger_conditions_attributes: [
        {
          condition_type: 'ao_event',
          configuration: { event_name: 'session_needs_input', watched_session_id: watched },
        },
      ],
    })
    for (const pause of [10, 60, 300]) {
      await work()
      expect(await waiting()).toEqual([pause])
      await pass(pause)
    }
    await work()
    expect(await waiting()).toEqual([])
    expect(await app.show(trigger)).toMatchObject({
      status: 'failed',
      failed_at: expect.any(String),
      last_error: 'No agent root named "nowhere" is in the catalog',
    })
    expect(await app.fires(trigger)).toMatchObject([{ outcome: 'failed', times: 4 }])
  })

  test('that a burst suppresses stays armed until the burst is over', async () => {
    const watched = await resting()
    const trigger = await app.trigger({
      max_sessions_per_minute: 1,
      status: 'disabled',
      trigger_conditions_attributes: [
        {
          condition_type: 'ao_event',
          configuration: { event_name: 'session_needs_input', watched_session_id: watched },
        },
      ],
    })
    for (let n = 0; n < 3; n += 1) await app.invoke(trigger)
    await app.post(`/triggers/${trigger}/toggle`)
    await work()
    expect((await app.fires(trigger))[0]).toMatchObject({ fired_by: 'ao_event', outcome: 'suppressed' })
    expect(await waiting()).toEqual([300])
    await app.patch(`/triggers/${trigger}`, { max_sessions_per_minute: null })
    await pass(300)
    await work()
    expect(await exists(trigger)).toBe(false)
  })
})
