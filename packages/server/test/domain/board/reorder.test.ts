import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSessions } from '../../support/sessions/session-rows.ts'

const app = testApp()
const reorder = (body: unknown) => app.post('/sessions/reorder', body)

let category_id: number
let cards: number[]

/** A section of five cards, newest first. */
beforeEach(async () => {
  category_id = (await app.post('/categories', { name: `Section ${Math.random()}` })).body.category.id
  const ids = await insertSessions(
    app.pool,
    Array.from({ length: 5 }, (_, index) => ({ slug: `card-${category_id}-${index}`, category_id })),
  )
  cards = ids.toReversed()
})

const [a, b, c, d, e] = [0, 1, 2, 3, 4]
const at = (...indexes: number[]): number[] => indexes.map((index) => cards[index] ?? 0)
const order = async (): Promise<number[]> => (await reorder({ category_id })).body.session_ids

test('a new card is first in its section', async () => {
  expect(await order()).toEqual(at(a, b, c, d, e))
})

describe('POST /sessions/reorder with session_id', () => {
  test('POST /sessions/reorder with session_id puts the moved card directly above the next card of the list', async () => {
    expect(await reorder({ category_id, ids: at(a, e, b), session_id: cards[e] })).toMatchObject({
      status: 200,
      body: { category_id, session_ids: at(a, e, b, c, d) },
    })
  })

  test('POST /sessions/reorder with session_id puts the moved card directly below the previous one if it is the last of the list', async () => {
    expect((await reorder({ category_id, ids: at(b, c, a), session_id: cards[a] })).body.session_ids).toEqual(
      at(b, c, a, d, e),
    )
  })

  test('POST /sessions/reorder with session_id leaves a card that is listed alone where it is, and accepts a slug', async () => {
    const session_id = `card-${category_id}-0`
    expect((await reorder({ category_id, ids: at(e), session_id })).body.session_ids).toEqual(at(a, b, c, d, e))
    expect((await reorder({ category_id, ids: at(e, a), session_id })).body.session_ids).toEqual(at(e, a, b, c, d))
  })

  test('POST /sessions/reorder with session_id moves a card from another section into this one', async () => {
    const [outsider] = await insertSessions(app.pool, [{}])
    const { body } = await reorder({ category_id, ids: [...at(a, b), outsider, ...at(c)], session_id: outsider })
    expect(body.session_ids).toEqual([...at(a, b), outsider, ...at(c, d, e)])
    expect((await app.get(`/sessions/${outsider}`)).body.session.category_id).toBe(category_id)
  })

  test('POST /sessions/reorder with session_id puts a card from another section first if it is not listed, and rearranges the listed cards', async () => {
    const [outsider] = await insertSessions(app.pool, [{}])
    const { body } = await reorder({ category_id, ids: at(b, a), session_id: outsider })
    expect(body.session_ids).toEqual([outsider, ...at(b, a, c, d, e)])
  })

  test('POST /sessions/reorder with session_id keeps a distinct order after many moves between the same two cards', async () => {
    for (let round = 0; round < 70; round += 1) {
      const moved = round % 2 ? d : e
      const below = round % 2 ? e : d
      await reorder({ category_id, ids: at(a, moved, below), session_id: cards[moved] })
    }
    expect((await order())[0]).toBe(cards[a])
    expect(new Set(await order())).toEqual(new Set(cards))
  })
})

describe('POST /sessions/reorder without session_id', () => {
  test('POST /sessions/reorder without session_id rearranges the listed cards within the positions they occupy', async () => {
    expect((await reorder({ category_id, ids: at(e, c, a) })).body.session_ids).toEqual(at(e, b, c, d, a))
  })

  test('POST /sessions/reorder without session_id ignores repeats and ids that are not cards of the section', async () => {
    const [outsider] = await insertSessions(app.pool, [{}])
    const ids = [outsider, ...at(c, c), 'x', null, {}, 1.5, 10 ** 30, String(cards[a])]
    expect((await reorder({ category_id, ids })).body.session_ids).toEqual(at(c, b, a, d, e))
  })

  test('POST /sessions/reorder without session_id changes no order without a list of ids', async () => {
    for (const ids of [undefined, null, 'x', []]) {
      expect((await reorder({ category_id, ids })).body.session_ids).toEqual(at(a, b, c, d, e))
    }
  })
})

test('an absent category_id, null and "uncategorized" all name the Uncategorized section', async () => {
  const [outsider] = await insertSessions(app.pool, [{}])
  for (const section of [{}, { category_id: null }, { category_id: 'uncategorized' }]) {
    const { body } = await reorder(section)
    expect([body.category_id, body.session_ids[0]]).toEqual([null, outsider])
  }
})

test('a reorder does not change updated_at', async () => {
  const before = (await app.get(`/sessions/${cards[e]}`)).body.session.updated_at
  await app.pool.query("update sessions set updated_at = '2020-01-01' where id = $1", [cards[e]])
  await reorder({ category_id, ids: at(e, a), session_id: cards[e] })
  expect((await app.get(`/sessions/${cards[e]}`)).body.session.updated_at).not.toBe(before)
  expect((await app.get(`/sessions/${cards[e]}`)).body.session.updated_at).toBe('2020-01-01T00:00:00Z')
})

test('the cards of a deleted category come first in Uncategorized', async () => {
  await app.delete(`/categories/${category_id}`)
  const { session_ids } = (await reorder({})).body
  expect(new Set(session_ids.slice(0, 5))).toEqual(new Set(cards))
})

test('rejects an unknown section or session with 404 and changes nothing', async () => {
  const section = await changesNothing(app.pool, () => reorder({ category_id: 999_999, ids: cards }))
  expectProblem(section, 404, 'Not Found', 'Category #999999 not found')
  const session = await changesNothing(app.pool, () => reorder({ category_id, ids: cards, session_id: 'no-such-slug' }))
  expectProblem(session, 404, 'Not Found', 'The requested resource was not found')
  const wrong = await changesNothing(app.pool, () => reorder({ category_id, ids: cards, session_id: {} }))
  expect(wrong.status).toBe(422)
})

test('concurrent moves keep every card in its section once, each with its own sort_order', async () => {
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
