import { describe, expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { deleteSession } from '../../../src/domain/lifecycle/delete.ts'
import { enqueueFire } from '../../../src/domain/triggers/trigger.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = await triggerApp({ role: 'all' })
const { create, busy, rested, turns, reaches, settled, say } = sessionHelpers(app)

const watching = (event_name: string, watched_session_id?: number) => ({
  condition_type: 'ao_event',
  configuration: { event_name, ...(watched_session_id !== undefined && { watched_session_id }) },
})
const archive = (id: number) => archiveSession(app.host.app, { id }, { force: true })
const spawnedBy = async (id: number): Promise<{ id: number; prompt: string; genesis: string }[]> =>
  (
    await app.pool.query(
      `select id::int, prompt, genesis from sessions where metadata ->> 'trigger_id' = $1 order by id`,
      [String(id)],
    )
  ).rows
const hasSpawned = (id: number, count: number) =>
  eventually(
    () => spawnedBy(id),
    (all) => all.length === count,
    30_000,
  )
const promptsOf = async (id: number): Promise<unknown[]> => (await turns(id)).map(({ prompt }) => prompt)
const exists = async (id: number): Promise<boolean> => (await app.get(`/triggers/${id}`)).status === 200

/** The subscription has handled everything that has happened so far. */
async function isCaughtUp(): Promise<void> {
  await eventually(
    async () =>
      (
        await app.pool.query(
          `select not exists (
             select
             from events
             join event_subscriptions as subscription on events.name = any(subscription.kinds)
             where subscription.name = 'triggers.session_events'
               and (events.position is null or events.position > subscription.position)
           ) as is_done`,
        )
      ).rows[0].is_done,
    (isDone) => isDone,
    30_000,
  )
}
const waitingJobs = async (sessionId: number): Promise<{ id: string; seconds: number }[]> =>
  (
    await app.pool.query(
      `select jobs.id, extract(epoch from jobs.run_at - jobs.created_at)::float as seconds
       from graphile_worker._private_jobs as jobs
       join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
       where tasks.identifier = 'fire_session_event'
         and (jobs.payload ->> 'sessionId')::int = $1`,
      [sessionId],
    )
  ).rows
/** Ends the settling time of the session's events. */
const hurry = async (sessionId: number) => {
  for (const { id } of await waitingJobs(sessionId))
    await app.pool.query('select graphile_worker.reschedule_jobs(array[$1]::bigint[], run_at => now())', [id])
}

describe('a trigger on any session', () => {
  test('fires at once for an archived session, with a sentence about it', async () => {
    const trigger = await app.trigger({
      trigger_conditions_attributes: [watching('session_archived')],
      prompt_template: 'say {{event}}',
    })
    const id = await rested({ title: 'Fix login' })
    await archive(id)
    await hasSpawned(trigger, 1)
    expect(await spawnedBy(trigger)).toMatchObject([
      { genesis: 'ao_event', prompt: `say Session ${id} ("Fix login") was archived` },
    ])
    await app.delete(`/triggers/${trigger}`)
  })

  test('leaves sessions alone that are not autonomous, that it spawned, or that it follows up', async () => {
    const own = await rested()
    const trigger = await app.trigger({
      trigger_conditions_attributes: [watching('session_archived')],
      reuse_session: true,
      last_session_id: own,
    })
    const quiet = await rested({ is_autonomous: false })
    const spawned = await rested()
    await app.pool.query(
      `update sessions set metadata = metadata || jsonb_build_object('trigger_id', $2::int) where id = $1`,
      [spawned, trigger],
    )
    for (const id of [own, quiet, spawned]) await archive(id)
    await isCaughtUp()
    expect(await app.fires(trigger)).toEqual([])
    await app.delete(`/triggers/${trigger}`)
  })

  test('fires for a failed session', async () => {
    const trigger = await app.trigger({ trigger_conditions_attributes: [watching('session_failed')] })
    const id = await create('fail on purpose')
    await reaches(id, 'failed')
    await hasSpawned(trigger, 1)
    await app.delete(`/triggers/${trigger}`)
  })

  test('fires for one that needs input only after thirty seconds of rest', async () => {
    const trigger = await app.trigger({ trigger_conditions_attributes: [watching('session_needs_input')] })
    const id = await rested()
    await isCaughtUp()
    const [job] = await waitingJobs(id)
    expect(Math.round(Number(job?.seconds))).toBe(30)
    expect(await spawnedBy(trigger)).toEqual([])
    await hurry(id)
    await hasSpawned(trigger, 1)
    await app.delete(`/triggers/${trigger}`)
  })

  test('does not fire for a rest that a prompt has ended meanwhile', async () => {
    const trigger = await app.trigger({ trigger_conditions_attributes: [watching('session_needs_input')] })
    const id = await rested()
    await isCaughtUp()
    const [first] = await waitingJobs(id)
    await say(id, 'say more')
    await settled(id)
    await isCaughtUp()
    await app.pool.query('select graphile_worker.reschedule_jobs(array[$1]::bigint[], run_at => now())', [first?.id])
    await eventually(
      () => waitingJobs(id),
      (jobs) => !jobs.some((job) => job.id === first?.id),
      30_000,
    )
    expect(await app.fires(trigger)).toEqual([])
    await hurry(id)
    await hasSpawned(trigger, 1)
    await app.delete(`/triggers/${trigger}`)
  })
})

describe('a watch on one session', () => {
  test('wakes the waiting session once, and is removed', async () => {
    const [watched, target] = [await rested(), await rested()]
    const wake = await armWake(app, target, { event_name: 'session_archived', watched_session_id: watched })
    expect(await app.session(target)).toMatchObject({ status: 'waiting' })
    await archive(watched)
    await eventually(
      () => exists(wake),
      (is) => !is,
      30_000,
    )
    expect(await promptsOf(target)).toEqual(['say ready', 'say awake'])
  })

  test('on a session that is in the state already fires at once', async () => {
    const [watched, target] = [await rested(), await rested()]
    await isCaughtUp()
    const wake = await armWake(app, target, { event_name: 'session_needs_input', watched_session_id: watched })
    await eventually(
      () => exists(wake),
      (is) => !is,
      30_000,
    )
    expect(await promptsOf(target)).toEqual(['say ready', 'say awake'])
  })

  test('fires once when the state changes while twenty wakes are armed', async () => {
    const watched = await rested()
    const targets = await Promise.all(Array.from({ length: 20 }, () => create()))
    const arming = targets.map((target) =>
      armWake(app, target, { event_name: 'session_archived', watched_session_id: watched }),
    )
    const [wakes] = await Promise.all([Promise.all(arming), archive(watched)])
    for (const wake of wakes)
      await eventually(
        () => exists(wake),
        (is) => !is,
        60_000,
      )
    for (const target of targets) expect(await promptsOf(target)).toEqual(['say awake'])
  })

  test('for another event is removed when the session is archived, and a session that sleeps on nothing else is told', async () => {
    const { id: watched, release } = await busy()
    const target = await rested()
    const wake = await armWake(app, target, { event_name: 'session_failed', watched_session_id: watched })
    await archive(watched)
    await eventually(
      () => exists(wake),
      (is) => !is,
      30_000,
    )
    const [, told] = await eventually(
      () => promptsOf(target),
      (all) => all.length === 2,
    )
    expect(told).toContain(`Session ${watched}, which you were waiting for, was archived.`)
    await release()
  })

  test('on a deleted session is removed', async () => {
    const [watched, target] = [await rested(), await rested()]
    const wake = await armWake(app, target, { event_name: 'session_failed', watched_session_id: watched })
    const kept = await armWake(app, target, { scheduled_at: '2041-01-01T00:00' })
    await deleteSession(app.host.app, { id: watched })
    await eventually(
      () => exists(wake),
      (is) => !is,
      30_000,
    )
    expect(await exists(kept)).toBe(true)
    expect(await promptsOf(target)).toEqual(['say ready'])
  })
})

describe('a fire as a job', () => {
  test('fires once, however often it is enqueued', async () => {
    const chat = { condition_type: 'chat', configuration: { channel_id: 'C1' } }
    const trigger = await app.trigger({ trigger_conditions_attributes: [chat] })
    const { conditions } = (await app.show(trigger)) as { conditions: { id: number }[] }
    const event = {
      key: 'chat:C1:1',
      by: 'chat' as const,
      conditionId: conditions[0]?.id ?? 0,
      values: { text: 'hello', labels: ['a'] },
      occurredAt: new Date(),
      conversation: 'C1',
      human: { authorKey: 'ada', content: 'hello' },
      ifNotFired: 'lost' as const,
    }
    for (let n = 0; n < 3; n += 1) await transact(app.host.app.db, (tx) => enqueueFire(tx, trigger, event))
    await hasSpawned(trigger, 1)
    expect(await app.fires(trigger)).toMatchObject([{ outcome: 'spawned', times: 1 }])
  })
})
