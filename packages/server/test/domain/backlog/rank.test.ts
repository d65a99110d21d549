import { beforeEach, describe, expect, test } from 'vitest'
import { rerank } from '../../../src/domain/backlog/rank.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { backlogApp, newItem } from '../../support/backlog/items.ts'

const app = backlogApp()
beforeEach(() => app.empty())

const append = (key: string, more = {}) => app.post('/work_backlog_items', newItem({ key, ...more }))

/** So many queued items of one cost at the rank that a statement computes. */
async function fill(count: number, rank: string, cost = 'small'): Promise<void> {
  await app.pool.query(
    `insert into work_backlog_items
       (key, repo, surface, title, kind, scope_direction, estimated_cost, added_at, added_by, added_via, precedence)
     select 'fill#' || n, 'acme/web', 'web', 't', 'bug', 'convergent', $2, now(), 'human', 'api', ${rank}
     from generate_series(0, $1 - 1) as n`,
    [count, cost],
  )
}

/** The queue as the rule says, computed without the table of ranks. */
async function expectExactPositions(): Promise<void> {
  const { rows } = await app.pool.query(
    `select id::int, row_number() over (order by precedence desc, added_at, id)::int as position
     from work_backlog_items where status = 'queued'`,
  )
  const shown: { id: number; position: number }[] = []
  for (let page = 1; shown.length < rows.length; page += 1) {
    const { body } = await app.get(`/work_backlog_items?per_page=100&page=${page}`)
    if (body.work_backlog_items.length === 0) break
    shown.push(...body.work_backlog_items)
  }
  const byId = (one: { id: number }, other: { id: number }) => one.id - other.id
  expect(shown.map(({ id, position }) => ({ id, position })).toSorted(byId)).toEqual(rows.toSorted(byId))
  const { rows: counts } = await app.pool.query(
    `select status, sum(items)::int as items from work_backlog_counts group by status having sum(items) > 0
     except select status, count(*)::int from work_backlog_items group by status`,
  )
  expect(counts).toEqual([])
}

describe('bands', () => {
  test('the first item of a cost gets the base of its band, and each later one 10 less', async () => {
    for (const [key, cost, precedence] of [
      ['s1', 'small', 6000],
      ['m1', 'medium', 3000],
      ['l1', 'large', 1000],
      ['s2', 'small', 5990],
      ['m2', 'medium', 2990],
      ['l2', 'large', 990],
      ['s3', 'small', 5980],
    ] as const)
      expect((await app.queue(key, { estimated_cost: cost })).precedence).toBe(precedence)
    expect(await app.keys()).toEqual(['s1', 's2', 's3', 'm1', 'm2', 'l1', 'l2'])
  })

  test('a pinned item in the band is no peer and is not moved when the band is respaced', async () => {
    await fill(100, '6000 - 10 * n')
    await app.queue('pin', { pinned: true, precedence: 5500 })
    const { body } = await append('last')
    expect(body).toMatchObject({
      created: true,
      band_respaced: true,
      position: 102,
      work_backlog_item: { precedence: 5099 },
    })
    expect((await app.get('/work_backlog_items/pin')).body.work_backlog_item.precedence).toBe(5500)
    const ordered = (await app.keys()).filter((key) => key.startsWith('fill'))
    expect(ordered).toEqual(Array.from({ length: 100 }, (_, index) => `fill#${index}`))
    expect((await append('after')).body.band_respaced).toBe(false)
    await expectExactPositions()
  })

  test('a band takes an item on each of its ranks, and then more on its lowest rank, in the order of arrival', async () => {
    await fill(500, '1000 - n', 'large')
    for (const key of ['x', 'y', 'z'])
      expect((await append(key, { estimated_cost: 'large' })).body).toMatchObject({
        created: true,
        band_respaced: false,
        work_backlog_item: { precedence: 501 },
      })
    expect((await app.keys()).slice(-4)).toEqual(['fill#499', 'x', 'y', 'z'])
    await app.post('/work_backlog_items/pull', { count: 6 })
    expect((await append('after', { estimated_cost: 'large' })).body).toMatchObject({ band_respaced: true })
    const { rows } = await app.pool.query(
      "select count(distinct precedence)::int as ranks, count(*)::int as items from work_backlog_items where status = 'queued'",
    )
    expect(rows[0]).toEqual({ ranks: 498, items: 498 })
    expect((await app.keys()).slice(-4)).toEqual(['x', 'y', 'z', 'after'])
  })

  test.each([
    ['from 100 items on', 100, 10, 140],
    ['from 985 items on', 985, 1, 1000],
  ])('a band gives every item a rank of its own while it has one, %s', async (_about, count, step, total) => {
    await fill(count, `3000 - ${step} * n`, 'medium')
    for (let index = count; index < total; index += 1) await app.queue(`fill#${index}`, { estimated_cost: 'medium' })
    const { rows } = await app.pool.query(
      'select count(distinct precedence)::int as ranks, min(precedence) > 2000 as is_above, max(precedence) as highest from work_backlog_items',
    )
    expect(rows[0]).toEqual({ ranks: total, is_above: true, highest: 3000 })
    expect(await app.keys()).toEqual(Array.from({ length: total }, (_, index) => `fill#${index}`))
  })

  test('an unpinned item outside of its band is placed in it by the next change, the oldest first', async () => {
    await fill(2, '40 + n')
    await app.post('/work_backlog_items/pull', { count: 0 })
    const { rows } = await app.pool.query('select key, precedence from work_backlog_items order by id')
    expect(rows).toEqual([
      { key: 'fill#0', precedence: 6000 },
      { key: 'fill#1', precedence: 5990 },
    ])
    await transact(app.host.app.db, rerank)
    await expectExactPositions()
  })
})

describe('positions', () => {
  test('the position of every item is its place in the whole queue, wherever pins, ties and gaps lie', async () => {
    await fill(300, '((n * 7919) % 997) * 6000 - 3000000')
    await app.pool.query("update work_backlog_items set pinned = true, precedence = 42 where key like 'fill#2%'")
    await app.pool.query('update work_backlog_items set pinned = true where not pinned')
    await app.queue('edge-1', { pinned: true, precedence: 2147483647 })
    await app.queue('edge-2', { pinned: true, precedence: -2147483648 })
    await expectExactPositions()
    expect((await app.get('/work_backlog_items/edge-2')).body.work_backlog_item.position).toBe(302)
  })

  test('concurrent appends, pins, unpins, pulls and removals lose no row and leave exact positions', async () => {
    const costs = ['small', 'medium', 'large']
    const made = Array.from({ length: 60 }, (_, index) => `race#${index}`)
    const answers = await Promise.all(
      made.map(async (key, index) => {
        const appended = await append(key, { estimated_cost: costs[index % 3] })
        const path = `/work_backlog_items/${encodeURIComponent(key)}`
        if (index % 5 === 0) await app.patch(`${path}/pin`, { precedence: 5000 + (index % 20) })
        if (index % 10 === 0) await app.patch(`${path}/unpin`)
        if (index % 6 === 0) await app.post(`${path}/remove`, { reason: 'x' })
        if (index % 12 === 1) await app.post('/work_backlog_items/pull', { count: 1 })
        return appended.status
      }),
    )
    expect(new Set(answers)).toEqual(new Set([201]))
    const { rows } = await app.pool.query(
      `select count(*)::int as all, count(*) filter (where status = 'started')::int as started,
         count(*) filter (where status = 'queued' and not pinned)::int as unpinned,
         count(distinct (estimated_cost, precedence)) filter (where status = 'queued' and not pinned)::int as ranks
       from work_backlog_items`,
    )
    expect(rows[0]).toMatchObject({ all: 60, started: 5, ranks: rows[0].unpinned })
    await expectExactPositions()
  })
})
