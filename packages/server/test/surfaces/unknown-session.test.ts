import { expect, test } from 'vitest'
import { operations } from '../../../contract/src/operations.ts'
import { testApp, testKey } from '../support/app/app.ts'
import { insertSession } from '../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

/** A token in the path is a key: an unknown one is 401. */
const withBody = operations.filter(
  ({ path, method }) => path.includes('{') && !path.includes('{token}') && method !== 'GET',
)

const badBodies = [
  '{"',
  '[]',
  '"text"',
  '{}',
  JSON.stringify(everyKey('\u0007')),
  JSON.stringify(everyKey({ deep: [1] })),
]

/** Every key that some operation knows, with a value that hardly any of them takes. */
function everyKey(value: unknown): Record<string, unknown> {
  const bodies = operations.flatMap(({ body }) => (body && 'shape' in body ? [body.shape] : []))
  return Object.fromEntries(bodies.flatMap((shape) => Object.keys(shape)).map((key) => [key, value]))
}

async function statusOf(method: string, path: string, body: string, type = 'application/json'): Promise<number> {
  const headers = { 'x-api-key': testKey, 'content-type': type }
  return (await app.send(`/api/v1${path}`, { method, headers, body })).status
}

test.each(withBody.map(({ method, path }) => [method, path] as const))(
  '%s %s of something unknown is 404, however bad its body is',
  async (method, path) => {
    for (const named of ['987654321', 'no-such-session']) {
      const address = path.replace(/\{\w+\}/g, named)
      for (const body of badBodies)
        expect([address, body, await statusOf(method, address, body)]).toEqual([address, body, 404])
      expect(await statusOf(method, address, 'a', 'text/plain')).toBe(404)
    }
  },
)

test('an unknown line, message or subagent of a known session is 404 with a bad body as well', async () => {
  const id = await insertSession(app.pool, {})
  for (const { method, path } of withBody.filter((each) => /\}.*\{id\}/.test(each.path))) {
    const address = path.replace(/\{(session_)?id\}/, String(id)).replace(/\{\w+\}/g, '987654321')
    for (const body of badBodies)
      expect([address, body, await statusOf(method, address, body)]).toEqual([address, body, 404])
  }
})

test('a bad body for a known session is still 422', async () => {
  const id = await insertSession(app.pool, {})
  expect(await statusOf('PATCH', `/sessions/${id}`, '{"')).toBe(422)
  expect(await statusOf('PATCH', `/sessions/${id}`, '{"slug":7}')).toBe(422)
})
