import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, expectProblem, testApp } from '../../../support/app/app.ts'
import { changesNothing } from '../../../support/app/changes-nothing.ts'
import { emptyTables } from '../../../support/database/empty-tables.ts'
import { insertSession } from '../../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const create = (request: object): Promise<Answer> =>
  app.post('/sessions', { git_root: '/srv/widgets', agent_runtime: 'demo', ...request })
const parentOf = async ({ body }: Answer): Promise<number | null> => {
  const { rows } = await app.pool.query('select parent_session_id from sessions where id = $1', [body.session.id])
  return rows[0]?.parent_session_id === null ? null : Number(rows[0]?.parent_session_id)
}
const unknownParent = 'Parent session must reference an existing session'

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions')
})

describe('POST /sessions with parent_session_id answers 201', () => {
  test('POST /sessions with parent_session_id answers 201 for a parent named by id, by digits in a string or by slug', async () => {
    const parent = await insertSession(app.pool, { slug: 'the-parent' })
    for (const parent_session_id of [parent, String(parent), 'the-parent']) {
      const answer = await create({ parent_session_id })
      expect(answer.status).toBe(201)
      expect(answer.body).not.toHaveProperty('warnings')
      expect(await parentOf(answer)).toBe(parent)
      expect(answer.body.session).not.toHaveProperty('parent_session_id')
    }
  })

  test.each([null, '', '  '])(
    'POST /sessions with parent_session_id answers 201 and creates a session without a parent for %j',
    async (parent_session_id) => {
      const answer = await create({ parent_session_id })
      expect(answer.body.session).toMatchObject({ genesis: 'api', precedence: 0 })
      expect(await parentOf(answer)).toBeNull()
    },
  )

  test.each(['web_ui', 'chat', 'forge_issue', 'schedule', 'unknown'])(
    'POST /sessions with parent_session_id answers 201 and inherits the genesis %s',
    async (genesis) => {
      const parent_session_id = await insertSession(app.pool, { genesis })
      expect((await create({ parent_session_id })).body.session.genesis).toBe(genesis)
    },
  )

  test.each([
    ['the class of the parent', 'priority', undefined, 'priority'],
    ['no class if the parent has none', null, undefined, null],
    ['the requested class instead of the class of the parent', 'priority', 'spot', 'spot'],
    ['the class of the parent if the requested class is blank', 'spot', '', 'spot'],
  ])(
    'POST /sessions with parent_session_id answers 201 and the child stores %s',
    async (_what, inherited, requested, expected) => {
      const parent_session_id = await insertSession(app.pool, { scheduling_class: inherited, genesis: 'web_ui' })
      const { session } = (await create({ parent_session_id, scheduling_class: requested })).body
      expect(session).toMatchObject({ scheduling_class: expected, priority_class: expected ?? 'priority' })
    },
  )

  test.each([
    [0, 1],
    [-7, -6],
    [41, 42],
    [-1_000_000_000, -999_999_999],
    [999_999_999, 1_000_000_000],
    [1_000_000_000, 1_000_000_000],
  ])(
    'POST /sessions with parent_session_id answers 201 for a parent with precedence %i, and ranks the child at %i',
    async (precedence, expected) => {
      const parent_session_id = await insertSession(app.pool, { precedence })
      expect((await create({ parent_session_id })).body.session.precedence).toBe(expected)
    },
  )

  test('POST /sessions with parent_session_id answers 201 and prefers a requested precedence, 0 included, or place to the inherited one', async () => {
    const parent_session_id = await insertSession(app.pool, { precedence: 41 })
    expect((await create({ parent_session_id, precedence: 0 })).body.session.precedence).toBe(0)
    expect((await create({ parent_session_id, precedence: -3 })).body.session.precedence).toBe(-3)
    expect((await create({ parent_session_id, place: 'top_of_spot' })).body.session.precedence).toBe(46)
  })

  test('POST /sessions with parent_session_id answers 201 and the child inherits nothing but genesis, class and precedence', async () => {
    const { category } = (await app.post('/categories', { name: 'Upkeep' })).body
    const parent_session_id = await insertSession(app.pool, {
      category_id: category.id,
      goal: 'All green',
      mcp_servers: ['docs'],
      catalog_skills: ['review'],
      visibility: 'hidden',
      favorited: true,
      is_autonomous: false,
      subdirectory: 'packages',
      custom_metadata: { team: 'core' },
    })
    expect((await create({ parent_session_id })).body.session).toMatchObject({
      category_id: null,
      goal: null,
      mcp_servers: [],
      catalog_skills: [],
      visibility: 'visible',
      favorited: false,
      is_autonomous: true,
      subdirectory: null,
      custom_metadata: {},
    })
  })

  test.each(['waiting', 'running', 'needs_input', 'failed', 'archived'])(
    'POST /sessions with parent_session_id answers 201 for a parent that is %s',
    async (status) => {
      const archived_at = status === 'archived' ? '2026-08-22T18:09:42Z' : null
      const parent_session_id = await insertSession(app.pool, { status, archived_at })
      expect((await create({ parent_session_id })).status).toBe(201)
    },
  )

  test('POST /sessions with parent_session_id answers 201 and shows the child below its parent in the trees of both', async () => {
    const parent_session_id = await insertSession(app.pool)
    const { id } = (await create({ parent_session_id, title: 'Fix parser' })).body.session
    for (const seat of [parent_session_id, id]) {
      expect((await app.get(`/sessions/${seat}`)).body.session_hierarchy).toMatchObject({
        origin_session_id: parent_session_id,
        nodes: [
          { id: parent_session_id, depth: 0 },
          { id, depth: 1, parent_session_id, render_parent_session_id: parent_session_id, spawn_edge: true },
        ],
      })
    }
  })
})

describe('POST /sessions with parent_session_id answers 422 and creates nothing', () => {
  test.each([
    ['an unknown id', 999_999],
    ['zero', 0],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['more digits than an id has', '99999999999999999999'],
    ['a slug that matches nothing', 'no-such-session'],
    ['a boolean', true],
    ['a list', [1]],
    ['an object', { id: 1 }],
  ])(
    'POST /sessions with parent_session_id answers 422 and creates nothing for a parent_session_id that is %s',
    async (_what, parent_session_id) => {
      const answer = await changesNothing(app.pool, () => create({ parent_session_id }))
      expectProblem(answer, 422, 'Validation failed', unknownParent)
    },
  )

  test('POST /sessions with parent_session_id answers 422 and creates nothing and reports it together with the other problems', async () => {
    const answer = await changesNothing(app.pool, () => create({ parent_session_id: 999_999, git_root: '' }))
    expectProblem(answer, 422, 'Validation failed', "Git root can't be blank", unknownParent)
  })
})

describe('POST /sessions with parent_session_id and an idempotency key answers 200', () => {
  test('POST /sessions with parent_session_id and an idempotency key answers 200 also if the parent was deleted since, or the request names another parent', async () => {
    const parent_session_id = await insertSession(app.pool)
    const request = { parent_session_id, idempotency_key: 'one' }
    const { session } = (await create(request)).body
    await app.delete(`/sessions/${parent_session_id}`)
    for (const again of [request, { ...request, parent_session_id: 'no-such-slug' }]) {
      const { status, body } = await changesNothing(app.pool, () => create(again))
      expect([status, body.session.id, body.idempotent_replay]).toEqual([200, session.id, true])
    }
  })
})

test('creates during the delete of their parent succeed or are rejected, and no child keeps a deleted parent', async () => {
  for (let round = 0; round < 4; round += 1) {
    const parent_session_id = await insertSession(app.pool)
    const children = Array.from({ length: 4 }, () => create({ parent_session_id, title: 'One of many' }))
    const [deleted, ...made] = await Promise.all([app.delete(`/sessions/${parent_session_id}`), ...children])
    expect(deleted?.status).toBe(204)
    for (const answer of made) {
      if (answer.status === 201) expect(await parentOf(answer)).toBeNull()
      else expectProblem(answer, 422, 'Validation failed', unknownParent)
    }
  }
})
