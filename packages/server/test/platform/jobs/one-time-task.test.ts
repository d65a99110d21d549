import { describe, expect, test } from 'vitest'
import { rearmTasks, selectTasks } from '../../../src/platform/jobs/one-time-store.ts'
import { type OneTimeTask, runOneTimeTasks } from '../../../src/platform/jobs/one-time-task.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { silentLog } from '../../support/log/silent-log.ts'

type Run = OneTimeTask<undefined>['run']

/** One task, and a host that works on it. */
async function taskHost(run: Run, version = '20260101000000') {
  const { url } = await testDatabase()
  const { db, pool } = openTestDatabase(url)
  const tasks: OneTimeTask<undefined>[] = [{ version, name: 'count', run }]
  const host = { db, log: silentLog, redact: async (text: string) => text.replace('hunter2', '[REDACTED]') }
  const tick = () => runOneTimeTasks(undefined, tasks, { ...host, signal: new AbortController().signal })
  const row = async () => (await selectTasks(db))[0]
  const makeDue = () =>
    pool.query('update post_deploy_tasks set next_attempt_at = now() where next_attempt_at is not null')
  return { db, pool, tick, row, makeDue }
}

describe('a one-time task', () => {
  test('a one-time task runs once to its end, in slices that go on from the cursor', async () => {
    const seen: unknown[] = []
    const { tick, row } = await taskHost(async (_app, { cursor, stats }) => {
      seen.push(cursor)
      const done = (stats.done ?? 0) + 1
      return done < 3 ? { cursor: { at: done }, stats: { done } } : { stats: { done } }
    })
    for (let count = 0; count < 5; count += 1) await tick()
    expect(seen).toEqual([null, { at: 1 }, { at: 2 }])
    expect(await row()).toMatchObject({
      status: 'succeeded',
      attempts: 3,
      failures: 0,
      stats: { done: 3 },
      lease_id: null,
    })
  })

  test('a one-time task that fails waits longer each time, is blocked after its last retry, and starts over when armed', async () => {
    const { db, pool, tick, row, makeDue } = await taskHost(async () => {
      throw new Error('no hunter2 today')
    })
    const delays: unknown[] = []
    for (let count = 0; count < 6; count += 1) {
      await tick()
      const { rows } = await pool.query(
        'select round(extract(epoch from next_attempt_at - last_error_at) / 60)::int as minutes from post_deploy_tasks',
      )
      delays.push(rows[0].minutes)
      await tick()
      await makeDue()
    }
    expect(delays).toEqual([1, 5, 15, 30, 60, null])
    expect(await row()).toMatchObject({
      status: 'failed',
      attempts: 6,
      failures: 6,
      last_error: 'Error: no [REDACTED] today',
    })
    expect(await rearmTasks(db)).toBe(1)
    await tick()
    expect(await row()).toMatchObject({ status: 'failed', attempts: 7, failures: 1 })
    expect(await rearmTasks(db)).toBe(1)
    expect(await rearmTasks(db)).toBe(0)
  })

  test('a one-time task is worked on by one host at a time', async () => {
    let running = 0
    let most = 0
    const { tick } = await taskHost(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      return { stats: {} }
    })
    await Promise.all([tick(), tick(), tick(), tick()])
    expect(most).toBe(1)
  })

  test('a one-time task of a host that died counts as failed when its lease ends, and a late host changes nothing', async () => {
    let goOn: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let begun = 0
    const { pool, tick, row } = await taskHost(async () => {
      begun += 1
      if (begun === 1) await held
      return { stats: { by: begun } }
    })
    const late = tick()
    await expect.poll(() => begun).toBe(1)
    await pool.query("update post_deploy_tasks set lease_expires_at = now() - interval '1 second'")
    await tick()
    expect(await row()).toMatchObject({ status: 'failed', failures: 1, last_error: expect.stringContaining('stopped') })
    goOn()
    await late
    expect(await row()).toMatchObject({ status: 'failed', failures: 1 })
  })

  test('a one-time task that this version does not know is left alone', async () => {
    const { pool, tick } = await taskHost(async () => ({ stats: {} }))
    await pool.query("insert into post_deploy_tasks (version, name) values ('19990101000000', 'of another version')")
    await tick()
    await tick()
    const { rows } = await pool.query('select version, status from post_deploy_tasks order by version')
    expect(rows).toEqual([
      { version: '19990101000000', status: 'pending' },
      { version: '20260101000000', status: 'succeeded' },
    ])
  })
})
