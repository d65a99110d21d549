import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { claimDue, releaseClaims } from '../../../src/domain/backlog/liveness-store.ts'
import { backlogApp } from '../../support/backlog/items.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { startForgeServer } from '../../support/remote/forge-server.ts'

const forge = await startForgeServer()
afterAll(() => forge.close())
const app = backlogApp(forge.environment)
beforeEach(async () => {
  await app.empty()
  await app.pool.query('delete from poller_states')
  forge.requests.length = 0
})

const check = () => runPeriodic(app.host.app, 'check_backlog_issues')
const ask = async (): Promise<number> => (await app.post('/work_backlog_items/check_issues')).body.due
const asked = (): string[] => forge.requests.map(({ route }) => route.replace('GET /repos/acme/', ''))

/** Queues items with an issue each, the first on top of the queue. None of them is due for an hour. */
async function fill(count: number): Promise<void> {
  await app.pool.query(
    `insert into work_backlog_items (key, issue_url, repo, surface, title, kind, scope_direction, estimated_cost, added_at,
       added_by, added_via, precedence, liveness_check_at)
     select 'item#' || number, $2 || number, 'acme/web', 'web', 'An item', 'bug', 'convergent', 'small', now(),
       'ada', 'api', 1000 - number, now() + interval '1 hour'
     from generate_series(1, $1::int) as number`,
    [count, `${forge.url}/acme/web/issues/`],
  )
}

async function dueKeys(): Promise<string[]> {
  const { rows } = await app.pool.query(
    'select key from work_backlog_items where liveness_check_at <= now() order by rank_key',
  )
  return rows.map(({ key }) => key)
}

/** The minute since the forge was asked begins again: a busy machine may need longer than that. */
const asOfNow = () =>
  app.pool.query('update work_backlog_items set liveness_checked_at = now() where liveness_checked_at is not null')

async function secondsToNextCheck(): Promise<number> {
  const { rows } = await app.pool.query(
    'select extract(epoch from liveness_check_at - now())::float8 as seconds from work_backlog_items',
  )
  return rows[0].seconds
}

describe('requests to ask the forge', () => {
  test('requests to ask the forge at the same time make the first 200 items due, and each is told so', async () => {
    await fill(450)
    expect(await Promise.all(Array.from({ length: 6 }, ask))).toEqual(Array(6).fill(200))
    expect(await dueKeys()).toEqual(Array.from({ length: 200 }, (_, index) => `item#${index + 1}`))
  })

  test('requests to ask the forge leave out what it was asked about within the last minute, and do not go on down the queue', async () => {
    await fill(250)
    expect(await ask()).toBe(200)
    await check()
    expect(asked()).toHaveLength(50)
    await asOfNow()
    expect(await ask()).toBe(150)
    for (let time = 0; time < 5; time += 1) {
      await asOfNow()
      await ask()
      await check()
    }
    expect(new Set(asked()).size).toBe(200)
    expect(asked()).toHaveLength(200)
    await asOfNow()
    expect(await ask()).toBe(0)
    await app.pool.query(
      `update work_backlog_items
       set liveness_checked_at = now() - interval '1 minute', liveness_asked_at = now() - interval '1 minute'`,
    )
    expect(await ask()).toBe(200)
  })

  test('requests to ask the forge leave items that are overdue their place in line', async () => {
    await fill(250)
    await app.pool.query(
      `update work_backlog_items set liveness_check_at = now() - interval '1 hour' - precedence * interval '1 second'`,
    )
    expect(await ask()).toBe(200)
    await check()
    expect(asked().toSorted()).toEqual(Array.from({ length: 50 }, (_, index) => `web/issues/${index + 1}`).toSorted())
  })

  test('requests to ask the forge leave out what it refused to answer within the last minute', async () => {
    await fill(1)
    await ask()
    forge.next(() => true, { status: 403, body: { message: 'Not for you' } })
    await expect(check()).rejects.toThrow('Not for you')
    expect(await secondsToNextCheck()).toBeGreaterThan(800)
    expect(await ask()).toBe(0)
  })
})

describe('checks of issues at the same time', () => {
  test('checks of issues at the same time ask the forge once about each item', async () => {
    await fill(80)
    await ask()
    await Promise.all([check(), check(), check()])
    expect(asked().toSorted()).toEqual(Array.from({ length: 80 }, (_, index) => `web/issues/${index + 1}`).toSorted())
  })

  test('checks of issues at the same time begin with what is longest overdue', async () => {
    await fill(60)
    await app.pool.query("update work_backlog_items set liveness_check_at = now() - id * interval '1 second'")
    await check()
    expect(asked().toSorted()).toEqual(Array.from({ length: 50 }, (_, index) => `web/issues/${index + 11}`).toSorted())
  })

  test('checks of issues at the same time as a request leave a claimed item alone until its claim ends', async () => {
    await fill(1)
    await ask()
    // What a host does first, and all that it does if it crashes then.
    expect(await claimDue(app.host.app.db, 50)).toHaveLength(1)
    expect(await ask()).toBe(0)
    expect(Math.abs((await secondsToNextCheck()) - 120)).toBeLessThan(30)
    await check()
    expect(asked()).toEqual([])
    await app.pool.query("update work_backlog_items set liveness_check_at = liveness_check_at - interval '2 minutes'")
    await check()
    expect(asked()).toHaveLength(1)
  })

  test('checks of issues that a throttled forge did not answer are due as before, and not when their claim ends', async () => {
    await fill(3)
    await app.pool.query("update work_backlog_items set liveness_check_at = now() - interval '1 hour'")
    forge.throttle(() => true, { 'retry-after': '60' }, 429)
    expect(await check()).toMatchObject({ againAfterMs: 60_000 })
    expect(await secondsToNextCheck()).toBeLessThan(-3000)
    expect(await ask()).toBe(3)
    await check()
    expect(asked()).toHaveLength(1)
    await app.pool.query('delete from poller_states')
    await check()
    expect(asked()).toHaveLength(4)
  })

  test('claims that are given back wait for no transaction that holds their items, and the others are due again', async () => {
    await fill(2)
    await ask()
    const claimed = await claimDue(app.host.app.db, 50)
    const holder = await app.pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select from work_backlog_items where id = $1 for update', [claimed[0]?.id])
      await releaseClaims(app.host.app.db, claimed)
      expect(await dueKeys()).toHaveLength(1)
      await holder.query('rollback')
    } finally {
      holder.release()
    }
  })

  test('checks of issues that a throttle postpones claim nothing, because no item would be asked about', async () => {
    await fill(3)
    await app.pool.query("update work_backlog_items set liveness_check_at = now() - interval '1 hour'")
    forge.throttle(() => true, { 'retry-after': '60' }, 429)
    await check()
    const versions = async () => (await app.pool.query('select id, xmin from work_backlog_items order by id')).rows
    const before = await versions()
    await check()
    expect(await versions()).toEqual(before)
  })
})
