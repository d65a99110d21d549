import { expect, test } from 'vitest'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { newTrigger, triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()

test.each([
  '/triggers/99999999999999999999',
  '/triggers/9223372036854775808',
  '/triggers/-1',
  '/triggers/0x1',
  '/triggers/1e3',
  '/triggers/%00',
  '/triggers/999999/fires',
  '/triggers/..%2f..%2fsessions',
])('GET %s answers 404', async (path) => {
  expect((await app.get(path)).status).toBe(404)
})

test.each([
  '/triggers?status=%00',
  '/triggers?condition_type=%00',
  '/triggers?condition_type=%ED%A0%80',
  '/triggers?condition_type=constructor',
  '/triggers?condition_type=__proto__',
  "/triggers?status=enabled'%20or%201=1--",
])('GET %s matches nothing', async (path) => {
  await app.trigger()
  const { status, body } = await app.get(path)
  expect([200, 422]).toContain(status)
  expect(body.triggers ?? []).toEqual([])
})

test.each([['page=99999999999999&per_page=-5'], ['page=-1&per_page=1e9'], ['page=1&per_page=NaN']])(
  'GET /triggers?%s answers 200',
  async (query) => {
    expect((await app.get(`/triggers?${query}`)).status).toBe(200)
  },
)

test.each<[string, Record<string, unknown>]>([
  ['a cap beyond the column', { max_sessions_per_minute: 2 ** 53 }],
  ['a window beyond the column', { coalesce_window_seconds: '99999999999999' }],
  ['a precedence beyond the column', { precedence: 1e20 }],
  ['a session beyond the column', { reuse_session: true, last_session_id: '9223372036854775807' }],
  ['conditions that are no list', { trigger_conditions_attributes: { 0: {} } }],
  ['a condition that is no object', { trigger_conditions_attributes: [7, null, 'x'] }],
  [
    'a configuration that is a list',
    { trigger_conditions_attributes: [{ condition_type: 'chat', configuration: [] }] },
  ],
  [
    'a type that every object has',
    { trigger_conditions_attributes: [{ condition_type: 'constructor', configuration: { a: 1 } }] },
  ],
  ['a template of spaces', { prompt_template: ' \n\t ' }],
  ['a name of 256 characters', { name: 'x'.repeat(256) }],
])('POST /triggers refuses %s with 422 and changes nothing', async (_about, more) => {
  const { status } = await changesNothing(app.pool, () => app.post('/triggers', newTrigger(more)))
  expect(status).toBe(422)
})

test('a prototype key in a configuration or among variables changes no prototype', async () => {
  const configuration = JSON.parse('{"repos":["acme/api"],"__proto__":{"labels":["x"]}}')
  const attributes = [{ condition_type: 'forge_issue', configuration }]
  const refused = await app.post('/triggers', newTrigger({ trigger_conditions_attributes: attributes }))
  expect(refused).toMatchObject({ status: 422 })
  const id = await app.trigger({ prompt_template: 'say {{text}}{{constructor}}{{__proto__}}' })
  const invoked = await app.invoke(id, JSON.parse('{"text":"hi","__proto__":{"text":"bad"},"constructor":"bad"}'))
  expect(invoked.body.session).toMatchObject({ prompt: 'say hi{{constructor}}{{__proto__}}' })
  expect(Object.prototype).not.toHaveProperty('labels')
})

test('a template of half a million braces is filled in at once', async () => {
  for (const piece of ['{{', '{{ ', '{{a|', '{{text|', '}}{{'])
    expect(
      (await app.post('/triggers', newTrigger({ prompt_template: piece.repeat(Math.floor(499_000 / piece.length)) })))
        .status,
    ).toBe(201)
  const { rows } = await app.pool.query('select id from triggers where char_length(prompt_template) > 400000')
  for (const { id } of rows) expect((await app.invoke(Number(id), { text: 'x' })).status).toBe(201)
})
