import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const add = (body: unknown) => app.post('/people', body)
const ada = { key: 'ada', display_name: 'Ada L.', chat_user_id: 'U1' }

beforeEach(async () => {
  await app.pool.query('delete from people')
})

describe('/people', () => {
  test('adds, lists, shows, changes and removes people', async () => {
    const person = { ...ada, is_admin: false, created_at: expect.any(String) }
    expect(await add({ ...ada, display_name: '  Ada L. ' })).toMatchObject({ status: 201, body: { person } })
    await add({ key: 'grace', display_name: 'Grace H.', is_admin: true })
    const { body } = await app.get('/people?per_page=1')
    expect(body).toMatchObject({ people: [person], pagination: { total_count: 2, total_pages: 2 } })
    expect((await app.get('/people/grace')).body.person).toMatchObject({ chat_user_id: null, is_admin: true })
    expect((await app.patch('/people/ada', { chat_user_id: null, is_admin: true })).body.person).toMatchObject({
      display_name: 'Ada L.',
      chat_user_id: null,
      is_admin: true,
    })
    expect((await app.patch('/people/ada', {})).body.person.is_admin).toBe(true)
    expect((await app.delete('/people/ada')).status).toBe(204)
    expectProblem(await app.delete('/people/ada'), 404, 'Not Found')
  })

  test.each(['nobody', 'a%00b', '%F0%9F%9A%82', "'%20or%201=1", '..%2Fada'])(
    'GET, PATCH and DELETE /people/:key answer 404 for %s',
    async (key) => {
      expectProblem(await app.get(`/people/${key}`), 404, 'Not Found')
      expectProblem(await app.patch(`/people/${key}`, { display_name: 'x' }), 404, 'Not Found')
      expectProblem(await app.delete(`/people/${key}`), 404, 'Not Found')
    },
  )

  test('POST and PATCH /people refuse a key or a chat user id that is taken, also in a race', async () => {
    await add(ada)
    const again = await changesNothing(app.pool, () => add({ key: 'ada', display_name: 'Another' }))
    expectProblem(again, 422, 'Validation failed', 'Key has already been taken')
    await add({ key: 'grace', display_name: 'Grace H.' })
    const moved = await changesNothing(app.pool, () => app.patch('/people/grace', { chat_user_id: 'U1' }))
    expectProblem(moved, 422, 'Validation failed', 'Chat user id has already been taken')
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => add({ key: `person-${n}`, display_name: 'x', chat_user_id: 'U9' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422, 422, 422])
  })

  test('POST /people refuses the key of someone who left the list and whose messages are recorded', async () => {
    await add(ada)
    const session = await insertSession(app.pool, {})
    await app.pool.query(
      `insert into human_messages (session_id, author_key, channel, entry_point, content, occurred_at)
       values ($1, 'ada', 'chat', 'chat.dm', 'hello', now())`,
      [session],
    )
    await app.delete('/people/ada')
    const answer = await changesNothing(app.pool, () => add({ key: 'ada', display_name: 'Another' }))
    expectProblem(answer, 422, 'Validation failed', 'Key belongs to the author of recorded messages')
    expect((await app.delete(`/sessions/${session}`)).status).toBe(204)
    expect((await add(ada)).status).toBe(201)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ key: undefined }, 'Key'],
    [{ key: '' }, 'Key'],
    [{ key: 'Ada' }, 'Key'],
    [{ key: '-ada' }, 'Key'],
    [{ key: 'a b' }, 'Key'],
    [{ key: 'x'.repeat(65) }, 'Key'],
    [{ key: 7 }, 'Key'],
    [{ display_name: undefined }, 'Display name'],
    [{ display_name: ' \n ' }, 'Display name'],
    [{ display_name: 'x'.repeat(101) }, 'Display name'],
    [{ display_name: ['Ada'] }, 'Display name'],
    [{ chat_user_id: '' }, 'Chat user'],
    [{ chat_user_id: 'U1\nU2' }, 'Chat user'],
    [{ chat_user_id: 'ada' }, 'Chat user'],
    [{ chat_user_id: 'u012ab3cd' }, 'Chat user'],
    [{ chat_user_id: '_U1' }, 'Chat user'],
    [{ chat_user_id: 'U'.repeat(65) }, 'Chat user'],
    [{ is_admin: 'maybe' }, 'Is admin'],
  ])('POST /people rejects %j with 422 and changes nothing', async (change, attribute) => {
    const answer = await changesNothing(app.pool, () => add({ ...ada, ...change }))
    expectProblem(answer, 422, 'Validation failed')
    expect(answer.body.message).toContain(attribute)
  })
})
