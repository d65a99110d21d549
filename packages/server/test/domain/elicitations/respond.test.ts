import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { asker, askPath, question } from '../../support/sessions/asking.ts'

const app = testApp()
const { raise, poll, running, asked, respond, rowOf } = asker(app)

describe('PATCH /elicitations/:id/respond', () => {
  test.each(['accept', 'decline', 'cancel'])(
    'PATCH /elicitations/:id/respond answers %s with the poll body, and keeps content only for accept',
    async (action) => {
      const { token } = await running()
      const requestId = await asked(token)
      const answer = await respond(requestId, action, { note: 'yes' })
      expect(answer).toMatchObject({
        status: 200,
        body: { action, content: action === 'accept' ? { note: 'yes' } : null },
      })
      expect(Object.keys(answer.body._meta)).toEqual(['com.acme/request-id', 'com.acme/responded-at'])
    },
  )

  test('PATCH /elicitations/:id/respond takes the numeric id, which no asker can take as its request id', async () => {
    const { token } = await running()
    const requestId = await asked(token)
    const { id } = await rowOf(requestId)
    const answer = await raise(token, question(String(id)))
    expectProblem(answer, 422, 'Validation failed', 'Request must not consist of digits only')
    expect((await respond(id, 'decline')).body._meta['com.acme/request-id']).toBe(requestId)
  })

  test('PATCH /elicitations/:id/respond takes content as a JSON text', async () => {
    const { token } = await running()
    expect((await respond(await asked(token), 'accept', '{"a": 1}')).body.content).toEqual({ a: 1 })
    expectProblem(
      await respond(await asked(token), 'accept', 'not json'),
      422,
      'Validation failed',
      'Content must be an object',
    )
  })

  test.each([
    ['deep', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'Content is nested more than 72 levels deep'],
    ['with a NUL', '{"a": "\\u0000"}', 'Content holds a NUL character'],
    ['with half of a surrogate pair', '{"a": "\\ud800"}', 'Content holds half of a surrogate pair'],
    ['with a number out of range', '{"a": 1e999}', 'Content holds a number out of range'],
    ['that breaks off', '{"a": ', 'Content is not valid JSON'],
  ])(
    'PATCH /elicitations/:id/respond rejects content as a JSON text %s with 422 and changes nothing',
    async (_, content, message) => {
      const { token } = await running()
      const requestId = await asked(token)
      const answer = await changesNothing(app.pool, () => respond(requestId, 'accept', content))
      expectProblem(answer, 422, 'Invalid JSON', message)
    },
  )

  test.each(['decline', 'cancel'])('PATCH /elicitations/:id/respond takes %s with any content', async (action) => {
    const { token } = await running()
    for (const content of ['no', '{"a": ', ['x'], 7])
      expect((await respond(await asked(token), action, content)).body).toMatchObject({ action, content: null })
  })

  test('PATCH /elicitations/:id/respond answers 422 for a choice whose toString is hostile', async () => {
    const { token } = await running()
    const requestedSchema = { properties: { it: { enum: [{ toString: 1 }] } } }
    const answer = await respond(await asked(token, { requestedSchema }), 'accept', { it: 'x' })
    expectProblem(answer, 422, 'Validation failed', 'it must be one of: {"toString":1}')
  })

  test('PATCH /elicitations/:id/respond answers 404 when nothing matches, whatever the body says', async () => {
    for (const id of ['none', '999999', '99999999999999999999'])
      expectProblem(await respond(id, 'nonsense'), 404, 'Not Found')
  })

  test('PATCH /elicitations/:id/respond answers 422 for a question that is resolved, before it looks at the action', async () => {
    const { token } = await running()
    const requestId = await asked(token)
    await respond(requestId, 'decline')
    const again = await changesNothing(app.pool, () => respond(requestId, 'nonsense'))
    expectProblem(again, 422, 'Unprocessable Entity', 'Elicitation has already been resolved (status: decline)')
  })

  test.each([undefined, null, '', 'yes', 'ACCEPT', 7, ['accept']])(
    'PATCH /elicitations/:id/respond rejects the action %j with 422 and changes nothing, by either id',
    async (action) => {
      const { token } = await running()
      const requestId = await asked(token)
      for (const id of [requestId, (await rowOf(requestId)).id]) {
        const answer = await changesNothing(app.pool, () => respond(id, action))
        expectProblem(answer, 422, 'Unprocessable Entity', 'action_type must be one of: accept, decline, cancel')
      }
    },
  )

  test('PATCH /elicitations/:id/respond expires a question past its time first, then answers 422', async () => {
    const { token } = await running()
    const requestId = await asked(token)
    await app.pool.query(`update elicitations set expires_at = now() - interval '1 s' where request_id = $1`, [
      requestId,
    ])
    const message = 'Elicitation has already been resolved (status: expired)'
    expectProblem(await respond(requestId, 'accept'), 422, 'Unprocessable Entity', message)
    expect(await rowOf(requestId)).toMatchObject({ status: 'expired', response_content: null })
  })

  test('PATCH /elicitations/:id/respond rejects content that does not fit the requested schema with 422 and changes nothing', async () => {
    const { token } = await running()
    const requestedSchema = {
      type: 'object',
      properties: { confirm: { type: 'boolean' }, mood: { type: 'string', enum: ['good', 'bad'] } },
      required: ['confirm'],
    }
    const requestId = await asked(token, { requestedSchema })
    const answer = await changesNothing(app.pool, () => respond(requestId, 'accept', { mood: 'odd' }))
    expectProblem(answer, 422, 'Validation failed', "confirm can't be blank", 'mood must be one of: good, bad')
    expectProblem(await respond(requestId, 'accept'), 422, 'Validation failed', "confirm can't be blank")
    expect((await respond(requestId, 'decline', { mood: 'odd' })).status).toBe(200)
  })

  test('PATCH /elicitations/:id/respond hears one of ten people who answer at once; the others get 422', async () => {
    for (const _ of [1, 2, 3]) {
      const { token } = await running()
      const requestId = await asked(token)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_unused, person) =>
          respond(requestId, person % 2 ? 'accept' : 'decline', { person }),
        ),
      )
      const heard = answers.filter(({ status }) => status === 200)
      expect([heard.length, answers.filter(({ status }) => status === 422).length]).toEqual([1, 9])
      expect((await poll(token, requestId)).body).toEqual(heard[0]?.body)
    }
  })

  test('PATCH /elicitations/:id/respond is not reached by a token', async () => {
    const { token } = await running()
    const requestId = await asked(token)
    const response = await app.send(`${askPath}/session/${token}/${requestId}/respond`, { method: 'PATCH' })
    expect(response.status).toBe(401)
    const keyed = await app.send(`${askPath}/${requestId}/respond`, {
      method: 'PATCH',
      headers: { 'x-api-key': token },
    })
    expect([keyed.status, (await rowOf(requestId)).status]).toEqual([401, 'pending'])
  })
})
