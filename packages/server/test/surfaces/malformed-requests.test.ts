import { wholePath } from '@yardmaster/contract/address'
import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { Problem } from '../../../contract/src/problem.ts'
import type { OpenApiDocument } from '../../src/platform/http/openapi.ts'
import { testApp, testKey } from '../support/app/app.ts'
import { malformedRequests } from '../support/http/malformed-requests.ts'
import { insertSession, insertTranscript } from '../support/sessions/session-rows.ts'

/** No worker runs, so accepted work stays in the database. */
const app = testApp({ environment: { ROLE: 'web' } })

/** FUZZ_SEED and FUZZ_COUNT override them, as `npm run test:random` does; a failure prints the seed. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_115)
const count = Number(process.env.FUZZ_COUNT ?? 1500)
/** The stream stays open until its reader disconnects. */
const endless = ['events.stream']

test(`${count} random requests generated from the OpenAPI document cause no 500, and every refusal has the standard shape`, async () => {
  const server = app.host.web?.server
  if (!server) throw new Error('there is no web server')
  const sessions = await populate()
  const api = (await app.get('/openapi.json')).body as OpenApiDocument
  const next = malformedRequests(api, { seed, without: endless, idsOf: () => sessions })
  const statuses: Record<number, number> = {}
  const covered = new Set<string>()
  let left = count
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const { method, url, body, operation } = next()
      const response: LightMyRequestResponse = await server.inject({
        method: method as 'GET',
        url: wholePath(url),
        headers: { host: '127.0.0.1', 'x-api-key': testKey, 'content-type': 'application/json' },
        ...(body !== undefined && { payload: body }),
      })
      statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1
      covered.add(operation)
      const about = `seed ${seed}: ${method} ${url} ${body?.slice(0, 500)} -> ${response.statusCode} ${response.body.slice(0, 300)}`
      // A platform that is not configured is a declared answer.
      const isUnconfigured = response.statusCode === 503 && /is not configured/.test(response.body)
      if (response.statusCode >= 500 && !isUnconfigured) expect.fail(about)
      if (response.statusCode < 400) continue
      const problem = Problem.safeParse(response.json())
      if (!problem.success || problem.data.message !== problem.data.messages.join(', ')) expect.fail(about)
    }
  }
  await Promise.all(Array.from({ length: 6 }, caller))
  const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods))
  expect(covered.size).toBe(operations.length - endless.length)
  // The run proves something only if it has both successes and refusals.
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '201', '404', '422']))
  expect(Object.prototype).not.toHaveProperty('polluted')
}, 3_600_000)

test('every session can still be read after the random requests', async () => {
  const { body } = await app.get('/sessions?per_page=100&show_archived=true')
  expect(body.sessions.length).toBeGreaterThan(0)
  for (const { id } of body.sessions) expect((await app.get(`/sessions/${id}`)).status).toBe(200)
})

/** Creates sessions for the requests to target; their ids also match categories, messages and logs. */
async function populate(): Promise<string[]> {
  await app.post('/categories', { name: 'Somewhere' })
  const ids: number[] = []
  for (const status of ['needs_input', 'waiting', 'failed', 'running', 'needs_input', 'needs_input']) {
    ids.push(await insertSession(app.pool, { status, slug: `one-of-them-${ids.length}`, title: 'One of them' }))
  }
  await insertTranscript(app.pool, ids[0] ?? 0, ['{"type":"user","message":{"role":"user","content":"hello"}}'])
  await app.pool.query(
    "insert into enqueued_messages (session_id, content, position) values ($1, 'one', 1), ($1, 'two', 2)",
    [ids[2]],
  )
  // No random request names these.
  for (const status of ['needs_input', 'failed']) await insertSession(app.pool, { status })
  return [...ids.map(String), 'one-of-them-1', '1', '2', '999999']
}
