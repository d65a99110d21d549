import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../../support/app/app.ts'
import { backlogApp } from '../../support/backlog/items.ts'

const app = backlogApp()
const ids: Record<string, number> = {}

const list = async (query = '') => {
  const { status, body } = await app.get(`/work_backlog_items${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return {
    ...body,
    keys: body.work_backlog_items.map(({ key }: { key: string }) => key),
    positions: body.work_backlog_items.map(({ position }: { position: number }) => position),
  }
}

beforeAll(async () => {
  const queue = async (key: string, more = {}) => {
    ids[key] = (await app.queue(key, more)).id
  }
  await queue('large', { estimated_cost: 'large', surface: 'api', repo: 'acme/api' })
  await queue('medium', { estimated_cost: 'medium', kind: 'feature', scope_direction: 'divergent' })
  await queue('small', { surface: 'api', added_by: 'gate' })
  await queue('top', { pinned: true, precedence: 9000 })
  await queue('running', { repo: 'acme/running' })
  await queue('parked')
  await queue('gone')
  await app.post('/work_backlog_items/pull', { keys: ['running', 'parked'] })
  await app.post('/work_backlog_items/gone/remove', { reason: 'superseded' })
  await app.pool.query(
    `update sessions set status = 'needs_input'
     where id = (select started_session_id from work_backlog_items where key = 'parked')`,
  )
})

describe('GET /work_backlog_items', () => {
  test('GET /work_backlog_items lists the queue in rank order with positions, counts and bands', async () => {
    const { keys, positions, pagination, counts, ranking } = await list()
    expect({ keys, positions, pagination, counts, ranking }).toEqual({
      keys: ['top', 'small', 'medium', 'large'],
      positions: [1, 2, 3, 4],
      pagination: { page: 1, per_page: 25, total_count: 4, total_pages: 1 },
      counts: { queued: 4, started: 2, removed: 1, in_flight: 1, parked: 1, pinned: 1 },
      ranking: {
        order: 'precedence desc, added_at asc, id asc',
        gap: 10,
        bands: [
          { cost: 'small', floor: 5000, base: 6000, ceiling: 6999 },
          { cost: 'medium', floor: 2000, base: 3000, ceiling: 3999 },
          { cost: 'large', floor: 500, base: 1000, ceiling: 1999 },
        ],
      },
    })
  })

  test('an answer names every repository, surface and kind of its status, also those that its filters and its page leave out', async () => {
    const { filter_values: ofQueue } = await list('?surface=api&per_page=1')
    expect(ofQueue.repos).toContain('acme/api')
    expect(ofQueue.surfaces).toContain('api')
    expect(ofQueue.repos).toHaveLength(2)
    expect(ofQueue.surfaces).toHaveLength(2)
    expect(ofQueue.kinds).toContain('bug')
    const { filter_values: ofRemoved } = await list('?status=removed')
    expect(ofRemoved.repos).not.toContain('acme/api')
    expect(ofRemoved.repos).toHaveLength(1)
    expect((await list('?status=in_flight')).filter_values.repos).toEqual(['acme/running'])
    expect((await list('?status=parked')).filter_values.repos).not.toContain('acme/running')
  })

  test.each([
    ['status=started', ['running', 'parked'], [null, null]],
    ['status=removed', ['gone'], [null]],
    ['status=in_flight', ['running'], [null]],
    ['status=parked', ['parked'], [null]],
    ['surface=api', ['small', 'large'], [2, 4]],
    ['repo=acme%2Fapi', ['large'], [4]],
    ['scope_direction=divergent', ['medium'], [3]],
    ['kind=feature', ['medium'], [3]],
    ['estimated_cost=large', ['large'], [4]],
    ['pinned=true', ['top'], [1]],
    ['pinned=no', ['small', 'medium', 'large'], [2, 3, 4]],
    ['key=small', ['small'], [2]],
    ['key=gone', [], []],
    ['added_by=gate', ['small'], [2]],
    ['surface=api&estimated_cost=small', ['small'], [2]],
    ['surface=nowhere', [], []],
    ['status=&surface=&pinned=', ['top', 'small', 'medium', 'large'], [1, 2, 3, 4]],
  ])(
    'GET /work_backlog_items?%s narrows the list and keeps positions of the whole queue',
    async (query, keys, positions) => {
      const found = await list(`?${query}`)
      expect({ keys: found.keys, positions: found.positions, total: found.pagination.total_count }).toEqual({
        keys,
        positions,
        total: keys.length,
      })
    },
  )

  test('GET /work_backlog_items?status=all lists history too, in rank order', async () => {
    const { keys, pagination } = await list('?status=all&per_page=3&page=2')
    expect({ keys, pagination }).toEqual({
      keys: ['parked', 'gone', 'medium'],
      pagination: { page: 2, per_page: 3, total_count: 7, total_pages: 3 },
    })
  })

  test.each([
    ['status=done', 'Status must be one of: queued, started, removed, all, in_flight, parked'],
    ['estimated_cost=tiny', 'Estimated cost must be one of: small, medium, large'],
    ['scope_direction=up', 'Scope direction must be one of: convergent, divergent'],
    ['pinned=maybe', 'Pinned must be true or false'],
    ['surface=%00', 'Surface must not hold a NUL character'],
    ['status=queued&status=started', 'Status must be a string'],
  ])('GET /work_backlog_items?%s answers 422 Invalid filter and no empty page', async (query, message) => {
    expectProblem(await app.get(`/work_backlog_items?${query}`), 422, 'Invalid filter', message)
  })

  test.each([
    ['page=99', 99, 25],
    ['per_page=0', 1, 1],
    ['per_page=1000&page=0', 1, 100],
    ['per_page=abc&page=abc', 1, 25],
    ['page=99999999999999999999', 10 ** 13, 25],
  ])('GET /work_backlog_items?%s is clamped and answers the true counters', async (query, page, perPage) => {
    expect((await list(`?${query}`)).pagination).toMatchObject({ page, per_page: perPage, total_count: 4 })
  })
})

describe('GET /work_backlog_items/:id', () => {
  test('GET /work_backlog_items/:id takes a row id or a key', async () => {
    const { body } = await app.get(`/work_backlog_items/${ids.large}`)
    expect(body).toMatchObject({ work_backlog_item: { key: 'large', position: 4 } })
    expect((await app.get('/work_backlog_items/large')).body).toEqual(body)
  })

  test('a key names the queued row, else the latest one; a removed item has no position', async () => {
    expect((await app.get('/work_backlog_items/gone')).body.work_backlog_item).toMatchObject({
      id: ids.gone,
      status: 'removed',
      position: null,
    })
    await app.queue('web#7')
    await app.post('/work_backlog_items/web%237/remove', { reason: 'twice' })
    const { id } = await app.queue('web#7')
    expect((await app.get('/work_backlog_items/web%237')).body.work_backlog_item).toMatchObject({
      id,
      status: 'queued',
    })
    await app.post('/work_backlog_items/web%237/remove', { reason: 'twice' })
    expect((await app.get('/work_backlog_items/web%237')).body.work_backlog_item).toMatchObject({
      id,
      status: 'removed',
    })
  })

  test('an unknown id or key answers 404, and digits are never tried as a key', async () => {
    await app.queue('424242', { pinned: true, precedence: 0 })
    await app.post('/work_backlog_items/pull', { keys: ['424242'] })
    expectProblem(
      await app.get('/work_backlog_items/424242'),
      404,
      'Not Found',
      'No work backlog item matches "424242"',
    )
    expectProblem(await app.get('/work_backlog_items/nope'), 404, 'Not Found', 'No work backlog item matches "nope"')
  })
})
