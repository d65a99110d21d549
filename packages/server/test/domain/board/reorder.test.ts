import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSessions } from '../../support/sessions/session-rows.ts'

const app = testApp()
const reorder = (body: unknown) => app.post('/sessions/reorder', body)

let category_id: number
let cards: number[]

/** A section of five cards; the newest is on top. */
beforeEach(async () => {
  category_id = (await app.post('/categories', { name: `Section ${Math.random()}` })).body.category.id
  const ids = await insertSessions(
    app.pool,
    Array.from({ length: 5 }, (_, index) => ({ slug: `card-${category_id}-${index}`, category_id })),
  )
  cards = ids.toReversed()
})

const [a, b, c, d, e] = [0, 1, 2, 3, 4]
const at = (...places: number[]): number[] => places.map((place) => cards[place] ?? 0)
const order = async (): Promise<number[]> => (await reorder({ category_id })).body.session_ids

test('a new card goes on top of its section', async () => {
  expect(await order()).toEqual(at(a, b, c, d, e))
})

describe('with a session that moves', () => {
  test('it goes right above the next card of the list', async () => {
    expect(await reorder({ category_id, ids: at(a, e, b), session_id: cards[e] })).toMatchObject({
      status: 200,
      body: { category_id, session_ids: at(a, e, b, c, d) },
    })
  })

  test('it goes right below the previous one when it is the last', async () => {
    expect((await reorder({ category_id, ids: at(b, c, a), session_id: cards[a] })).body.session_ids).toEqual(
      at(b, c, a, d, e),
    )
  })

  test('alone in the list it does not move, and a slug names it too', async () => {
    const session_id = `card-${category_id}-0`
    expect((await reorder({ category_id, ids: at(e), session_id })).body.session_ids).toEqual(at(a, b, c, d, e))
    expect((await reorder({ category_id, ids: at(e, a), session_id })).body.session_ids).toEqual(at(e, a, b, c, d))
  })

  test('a card of another section comes over in the same step', async () => {
    const [stranger] = await insertSessions(app.pool, [{}])
    const { body } = await reorder({ category_id, ids: [...at(a, b), stranger, ...at(c)], session_id: stranger })
    expect(body.session_ids).toEqual([...at(a, b), stranger, ...at(c, d, e)])
    expect((await app.get(`/sessions/${stranger}`)).body.session.category_id).toBe(category_id)
  })

  test('a card of another section that is not in the list goes on top, and the others are dealt', async () => {
    const [stranger] = await insertSessions(app.pool, [{}])
    const { body } = await reorder({ category_id, ids: at(b, a), session_id: stranger })
    expect(body.session_ids).toEqual([stranger, ...at(b, a, c, d, e)])
  })

  test('moving between the same two cards again and again never runs out of room', async () => {
    for (let round = 0; round < 70; round += 1) {
      const moved = round % 2 ? d : e
      const below = round % 2 ? e : d
      await reorder({ category_id, ids: at(a, moved, below), session_id: cards[moved] })
    }
    expect((await order())[0]).toBe(cards[a])
    expect(new Set(await order())).toEqual(new Set(cards))
  })
})

describe('without one', () => {
  test('the listed cards are dealt into the places they hold', async () => {
    expect((await reorder({ category_id, ids: at(e, c, a) })).body.session_ids).toEqual(at(e, b, c, d, a))
  })

  test('what is no card of the section is ignored, and so are repeats', async () => {
    const [stranger] = await insertSessions(app.pool, [{}])
    const ids = [stranger, ...at(c, c), 'x', null, {}, 1.5, 10 ** 30, String(cards[a])]
    expect((await reorder({ category_id, ids })).body.session_ids).toEqual(at(c, b, a, d, e))
  })

  test('no list leaves everything where it is', async () => {
    for (const ids of [undefined, null, 'x', []]) {
      expect((await reorder({ category_id, ids })).body.session_ids).toEqual(at(a, b, c, d, e))
    }
  })
})

test('the Uncategorized section has three names', async () => {
  const [stranger] = await insertSessions(app.pool, [{}])
  for (const section of [{}, { category_id: null }, { category_id: 'uncategorized' }]) {
    const { body } = await reorder(section)
    expect([body.category_id, body.session_ids[0]]).toEqual([null, stranger])
  }
})

test('the order does not touch updated_at', async () => {
  const before = (await app.get(`/sessions/${cards[e]}`)).body.session.updated_at
  await app.pool.query("update sessions set updated_at = '2020-01-01' where id = $1", [cards[e]])
  await reorder({ category_id, ids: at(e, a), session_id: cards[e] })
  expect((await app.get(`/sessions/${cards[e]}`)).body.session.updated_at).not.toBe(before)
  expect((await app.get(`/sessions/${cards[e]}`)).body.session.updated_at).toBe('2020-01-01T00:00:00Z')
})

test('cards of a category that is deleted go on top of Uncategorized', async () => {
  await app.delete(`/categories/${category_id}`)
  const { session_ids } = (await reorder({})).body
  expect(new Set(session_ids.slice(0, 5))).toEqual(new Set(cards))
})

test('a section or a session that is not there answers 404 and changes nothing', async () => {
  const section = await changesNothing(app.pool, () => reorder({ category_id: 999_999, ids: cards }))
  expectProblem(section, 404, 'Not Found', 'Category #999999 not found')
  const session = await changesNothing(app.pool, () => reorder({ category_id, ids: cards, session_id: 'nobody' }))
  expectProblem(session, 404, 'Not Found', 'The requested resource was not found')
  const wrong = await changesNothing(app.pool, () => reorder({ category_id, ids: cards, session_id: {} }))
  expect(wrong.status).toBe(422)
})

test('many who move cards at once leave every card in its section once', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, round) => {
      const moved = cards[round % 5]
      return reorder({ category_id, ids: [cards[(round + 2) % 5], moved], session_id: moved })
    }),
  )
  const { rows } = await app.pool.query('select distinct sort_order from sessions where category_id = $1', [
    category_id,
  ])
  expect(rows).toHaveLength(5)
  expect((await order()).toSorted()).toEqual(cards.toSorted())
})
