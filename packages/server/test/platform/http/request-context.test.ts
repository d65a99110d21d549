import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { requestIdOf } from '../../../src/platform/http/request-context.ts'
import { workUnderway } from '../../../src/platform/log/work-context.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { requestHead, sendRaw } from '../../support/http/raw-http.ts'

/** Answers with the context before and after it has waited. */
const echo = defineEndpoint({
  method: 'POST',
  path: '/echo',
  tag: 'Test',
  summary: 'Answer with the context of the request',
  body: z.object({ waitMs: z.number() }),
  answers: { 200: z.object({ seen: z.array(z.string().optional()) }) },
  handle: async ({ body }) => {
    const before = workUnderway().request_id
    await wait(body.waitMs)
    return ok({ seen: [before, workUnderway().request_id] })
  },
})

const failing = defineEndpoint({
  method: 'POST',
  path: '/fail',
  tag: 'Test',
  summary: 'Fail',
  body: z.object({}),
  answers: { 200: z.object({}) },
  handle: async () => {
    throw new Error('failed')
  },
})

describe('X-Request-Id', () => {
  test('a short request id of safe characters is kept, and any other is replaced', async () => {
    const made = /^[\da-f]{8}-[\da-f-]{27}$/
    for (const id of ['a', 'trace.42_b-C', 'x'.repeat(64)])
      expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id)
    const hostile = ['', ' ', 'x'.repeat(65), 'a b', 'a,b', 'a\nb', '\u001b[31m', '{"level":60}', '<b>', 'é', '$x', "'"]
    for (const id of hostile) expect(requestIdOf({ headers: { 'x-request-id': id } })).toMatch(made)
    expect(requestIdOf({ headers: {} })).toMatch(made)
  })

  test('two X-Request-Id headers, or one with a tab, are replaced by an id of ours in the answer', async () => {
    const { url } = await kitServer([echo])
    const key = `X-API-Key: ${testKey}`
    const ask = (...headers: string[]) => sendRaw(url, requestHead('GET /api/v1/nothing', [key, ...headers]))
    expect((await ask('X-Request-Id: mine')).headers['x-request-id']).toBe('mine')
    for (const headers of [['X-Request-Id: one', 'X-Request-Id: two'], ['X-Request-Id: a\tb']])
      expect((await ask(...headers)).headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
  })
})

describe('the log lines of a request', () => {
  test('a hundred requests at once, over shared connections, never see the id of another', async () => {
    const server = await kitServer([echo], { logLevel: 'debug' })
    const ids = Array.from({ length: 100 }, (_, index) => `request-${index}`)
    const answers = await Promise.all(
      ids.map(async (id, index) => {
        const headers = { 'x-api-key': testKey, 'x-request-id': id, 'content-type': 'application/json' }
        const body = JSON.stringify({ waitMs: (index * 7) % 20 })
        const answer = await fetch(`${server.url}/api/v1/echo`, { method: 'POST', headers, body })
        return [answer.headers.get('x-request-id'), await answer.json()]
      }),
    )
    expect(answers).toEqual(ids.map((id) => [id, { seen: [id, id] }]))
    await server.close()
    const logged = server.records().filter(({ msg }) => msg === 'answered')
    expect(new Set(logged.map(({ request_id }) => request_id))).toEqual(new Set(ids))
  })

  test('a fault, and a refusal before the body is read, are logged with the request id', async () => {
    const server = await kitServer([failing], { logLevel: 'debug' })
    const ask = (id: string, key: string) =>
      fetch(`${server.url}/api/v1/fail`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'x-request-id': id, 'content-type': 'application/json' },
        body: '{}',
      })
    expect((await ask('faulty', testKey)).status).toBe(500)
    expect((await ask('refused', 'wrong')).status).toBe(401)
    await server.close()
    const about = server.records().map(({ msg, request_id }) => [msg, request_id])
    expect(about).toEqual([
      ['request failed', 'faulty'],
      ['answered', 'faulty'],
      ['answered', 'refused'],
    ])
  })
})
