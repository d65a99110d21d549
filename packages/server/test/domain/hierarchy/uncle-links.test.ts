import { beforeEach, describe, expect, test } from 'vitest'
import { recordUncle } from '../../../src/domain/hierarchy/record-uncle.ts'
import { lockSession } from '../../../src/domain/sessions/session.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertTree, insertUncleLink, insertUncleLinks, uncleLinks } from '../../support/sessions/relations.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const source = 'api_v1:sessions.follow_up'

/** As an endpoint does it: under the row lock of the receiving session. */
const send = (acting: number | undefined, target: number): Promise<void> =>
  transact(app.host.app.db, async (tx) => {
    await lockSession(tx, { id: target })
    await recordUncle(tx, { sessionId: target, actingSessionId: acting, source })
  })
const link = (senior: number, junior: number): Promise<void> => insertUncleLink(app.pool, { senior, junior })
const links = (): Promise<string[]> => uncleLinks(app.pool)
const logs = async (id: number): Promise<string[]> =>
  (await app.pool.query('select content from session_logs where session_id = $1 order by id', [id])).rows.map(
    ({ content }) => content,
  )

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions')
})

describe('a session that sends to another session', () => {
  test('a session that sends to another session is recorded as its uncle with the source, and the parent stays', async () => {
    await insertTree(app.pool, [null, null, 0])
    await send(2, 3)
    const { rows } = await app.pool.query('select * from uncle_links')
    expect(rows).toMatchObject([{ junior_session_id: '3', senior_session_id: '2', source }])
    expect((await app.get('/sessions/3')).body.session_hierarchy.nodes).toMatchObject([
      { id: 1 },
      { id: 3, parent_session_id: 1, uncle_session_ids: [2] },
      { id: 2 },
    ])
  })

  test.each([
    ['absent', undefined],
    ['an unknown id', 99],
    ['the receiving session', 2],
  ])('a session that sends to another session is not recorded if acting_session_id is %s', async (_who, acting) => {
    await insertTree(app.pool, [null, null])
    await changesNothing(app.pool, () => send(acting, 2))
  })

  test.each([
    ['its parent', 2, 3],
    ['its grandparent', 1, 3],
    ['its uncle', 4, 3],
    ['the parent of its uncle', 5, 3],
    ['the uncle of its grandparent', 6, 3],
  ])('a session that sends to another session is not recorded again if it is %s', async (_what, acting, target) => {
    await insertTree(app.pool, [null, 0, 1, null, null, null])
    await app.pool.query('update sessions set parent_session_id = 5 where id = 4')
    await link(4, 3)
    await link(6, 1)
    await changesNothing(app.pool, () => send(acting, target))
  })

  test.each([
    ['its child', 2],
    ['its grandchild', 3],
    ['a junior of its child', 4],
    ['a child of a junior of its child', 5],
  ])(
    'a session that sends to another session is not recorded if it is %s, which would close a cycle',
    async (_what, acting) => {
      await insertTree(app.pool, [null, 0, 1, null, 3])
      await link(2, 4)
      await changesNothing(app.pool, () => send(acting, 1))
    },
  )

  test('a session that sends to another session reverses a direct link if the junior sends to its uncle', async () => {
    await insertTree(app.pool, [null, null])
    await link(1, 2)
    await send(2, 1)
    expect(await links()).toEqual(['2>1'])
    await send(1, 2)
    expect(await links()).toEqual(['1>2'])
  })

  test('a session that sends to another session keeps a direct link if the uncle is also above the junior by another path', async () => {
    await insertTree(app.pool, [null, null, 0])
    await link(1, 2)
    await link(3, 2)
    await changesNothing(app.pool, () => send(2, 1))
    expect(await links()).toEqual(['1>2', '3>2'])
  })

  test('a session that sends to another session is not recorded if the cycle check would have to read more than 5,000 seniors', async () => {
    await insertTree(
      app.pool,
      Array.from({ length: 5004 }, () => null),
    )
    await insertUncleLinks(
      app.pool,
      Array.from({ length: 5001 }, (_, index) => ({ senior: index + 2, junior: 1 })),
    )
    await send(5003, 1)
    await send(1, 5004)
    expect((await links()).filter((pair) => /500[34]/.test(pair))).toEqual([])
  })

  test('a session that sends to another session loses its link when either session is deleted', async () => {
    await insertTree(app.pool, [null, null, null])
    await link(1, 2)
    await link(2, 3)
    expect((await app.delete('/sessions/2')).status).toBe(204)
    expect(await links()).toEqual([])
  })
})

describe('concurrent sends', () => {
  test('concurrent sends of two sessions to each other leave one link', async () => {
    const ids = await insertTree(
      app.pool,
      Array.from({ length: 20 }, () => null),
    )
    const pairs = Array.from({ length: 10 }, (_, n) => [ids[2 * n] ?? 0, ids[2 * n + 1] ?? 0] as const)
    await Promise.all(pairs.flatMap(([one, other]) => [send(one, other), send(other, one)]))
    expect(await links()).toHaveLength(10)
  })

  test('concurrent sends do not wait for a transaction that holds the row lock of the senior, which could deadlock', async () => {
    await insertTree(app.pool, [null, null])
    await transact(app.host.app.db, async (tx) => {
      await lockSession(tx, { id: 1 })
      await send(1, 2)
    })
    expect(await links()).toEqual(['1>2'])
  })

  test('concurrent sends never close a cycle', async () => {
    const count = 8
    const ids = await insertTree(
      app.pool,
      Array.from({ length: count }, () => null),
    )
    await Promise.all(ids.map((id, n) => send(id, ids[(n + 1) % count] ?? 0)))
    const { rows } = await app.pool.query(`
      with recursive above (id, senior) as (
        select junior_session_id, senior_session_id from uncle_links
        union
        select above.id, senior_session_id from above join uncle_links on junior_session_id = above.senior
      )
      select from above where id = senior
    `)
    expect(rows).toEqual([])
    expect(await links()).toHaveLength(count - 1)
  })

  test('concurrent sends of one session to the same session record one link', async () => {
    await insertTree(app.pool, [null, null])
    await Promise.all(Array.from({ length: 8 }, () => send(1, 2)))
    expect(await links()).toEqual(['1>2'])
  })

  test('concurrent sends and deletes of both sessions do not fail and leave no link', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [senior = 0, junior = 0] = await insertTree(app.pool, [null, null])
      const [sent, ...deleted] = await Promise.allSettled([
        send(senior, junior),
        app.delete(`/sessions/${senior}`),
        app.delete(`/sessions/${junior}`),
      ])
      if (sent.status === 'rejected') expect(sent.reason).toMatchObject({ kind: 'not_found' })
      expect(deleted).toMatchObject([{ value: { status: 204 } }, { value: { status: 204 } }])
      expect(await links()).toEqual([])
    }
  })
})

describe('DELETE /sessions/:id/uncle_links/:uncle_id answers 204', () => {
  test('DELETE /sessions/:id/uncle_links/:uncle_id removes only this link and logs the caller and the source of the link in both sessions', async () => {
    await insertTree(app.pool, [null, null, null])
    await insertUncleLinks(app.pool, [
      { senior: 1, junior: 2 },
      { senior: 3, junior: 2 },
      { senior: 1, junior: 3 },
    ])
    const answer = await app.delete('/sessions/2/uncle_links/1')
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(await links()).toEqual(['1>3', '3>2'])
    for (const id of [1, 2]) {
      expect(await logs(id)).toEqual([
        expect.stringMatching(
          /^Session #1 is no longer an uncle of session #2: detached by an undeclared REST caller\. The link was recorded at \d{4}-\d\d-\d\dT[\d:]+Z by api_v1:sessions\.follow_up\.$/,
        ),
      ])
    }
    expect(await logs(3)).toEqual([])
  })

  test('DELETE /sessions/:id/uncle_links/:uncle_id accepts slugs for both sessions', async () => {
    const senior = await insertSession(app.pool, { slug: 'the-senior' })
    const junior = await insertSession(app.pool, { slug: 'the-junior' })
    await link(senior, junior)
    expect((await app.delete('/sessions/the-junior/uncle_links/the-senior')).status).toBe(204)
    expect(await links()).toEqual([])
  })

  test.each([
    ['in the query', '?acting_session_id=42', undefined],
    ['in the body', '', { acting_session_id: 42 }],
    ['in the body as text', '', { acting_session_id: '42' }],
  ])('names the session of acting_session_id %s in the log', async (_where, query, body) => {
    await insertTree(app.pool, [null, null])
    await link(1, 2)
    const response = await app.send(`/api/v1/sessions/2/uncle_links/1${query}`, {
      method: 'DELETE',
      headers: { 'x-api-key': 'test-key', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(response.status).toBe(204)
    expect(await logs(2)).toEqual([expect.stringContaining('detached by session #42 via the REST API')])
  })

  test.each(['a-slug', '', '-4', '1.5', '0', '99999999999999999999'])(
    'DELETE /sessions/:id/uncle_links/:uncle_id ignores the acting_session_id %j, which is not an id',
    async (acting) => {
      await insertTree(app.pool, [null, null])
      await link(1, 2)
      expect((await app.delete(`/sessions/2/uncle_links/1?acting_session_id=${acting}`)).status).toBe(204)
      expect(await logs(2)).toEqual([expect.stringContaining('detached by an undeclared REST caller')])
    },
  )

  test('DELETE /sessions/:id/uncle_links/:uncle_id answers 204 to one of several concurrent deletes, and 404 to the others', async () => {
    await insertTree(app.pool, [null, null])
    await link(1, 2)
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.delete('/sessions/2/uncle_links/1')))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404])
    expect(await logs(2)).toHaveLength(1)
  })
})

describe('DELETE /sessions/:id/uncle_links/:uncle_id answers 404 and changes nothing', () => {
  const refused = (path: string) => changesNothing(app.pool, () => app.delete(path))

  test('DELETE /sessions/:id/uncle_links/:uncle_id answers 404 and changes nothing for a junior that does not exist', async () => {
    await insertTree(app.pool, [null])
    for (const id of ['99', 'no-such-session', '99999999999999999999']) {
      const answer = await refused(`/sessions/${id}/uncle_links/1`)
      expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
    }
  })

  test('DELETE /sessions/:id/uncle_links/:uncle_id answers 404 and changes nothing for an uncle that does not exist', async () => {
    await insertTree(app.pool, [null])
    expectProblem(
      await refused('/sessions/1/uncle_links/99'),
      404,
      'Not found',
      'There is no session #99, so it is not an uncle of session #1',
    )
    expectProblem(
      await refused('/sessions/1/uncle_links/no-such-session'),
      404,
      'Not found',
      'There is no session "no-such-session", so it is not an uncle of session #1',
    )
  })

  test('DELETE /sessions/:id/uncle_links/:uncle_id answers 404 and changes nothing without a link, also for parent and child and for a session and itself', async () => {
    await insertTree(app.pool, [null, 0])
    expectProblem(
      await refused('/sessions/2/uncle_links/1'),
      404,
      'Not found',
      'Session #1 is not an uncle of session #2',
    )
    expectProblem(
      await refused('/sessions/1/uncle_links/1'),
      404,
      'Not found',
      'Session #1 is not an uncle of session #1',
    )
  })

  test('DELETE /sessions/:id/uncle_links/:uncle_id answers 404 and changes nothing if only the reverse link exists, and says how to remove that one', async () => {
    await insertTree(app.pool, [null, null])
    await link(2, 1)
    expectProblem(
      await refused('/sessions/2/uncle_links/1'),
      404,
      'Not found',
      'Session #1 is not an uncle of session #2. The link points the other way: session #2 is an uncle of session #1. To remove that one, DELETE /api/v1/sessions/1/uncle_links/2',
    )
    expect(await links()).toEqual(['2>1'])
  })
})

test('the uncle_links path answers 401 without a key, and 404 to any other method', async () => {
  expect((await app.send('/api/v1/sessions/1/uncle_links/2', { method: 'DELETE' })).status).toBe(401)
  await insertTree(app.pool, [null, null])
  expect((await app.get('/sessions/1/uncle_links/2')).status).toBe(404)
  expect((await app.post('/sessions/1/uncle_links/2', {})).status).toBe(404)
  expect((await app.patch('/sessions/1/uncle_links/2', {})).status).toBe(404)
})
