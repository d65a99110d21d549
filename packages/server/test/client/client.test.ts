import { type Client, createClient, Problem } from '@yardmaster/client/client'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { testApp, testKey } from '../support/app/app.ts'

const app = testApp({ environment: { ROLE: 'web' } })

type Sent = { url: string; method: string; headers: Record<string, string>; body: unknown }

/** A client whose requests are recorded and answered from a list; the last answer repeats. */
function scripted(...answers: (Response | Error)[]): { client: Client; sent: Sent[] } {
  const sent: Sent[] = []
  const respond: typeof fetch = async (url, init) => {
    sent.push({
      url: String(url),
      method: init?.method ?? 'GET',
      headers: { ...(init?.headers as Record<string, string>) },
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (!answer || answer instanceof Error) throw answer
    return answer.clone()
  }
  return { client: createClient({ url: 'http://yard.test/', key: 'k', fetch: respond }), sent }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}

function unavailable(retryAfter = '0'): Response {
  return json(503, { error: 'Service unavailable', messages: ['Try again'] }, { 'retry-after': retryAfter })
}

describe('a call', () => {
  test('a call of the client puts path keys into the path, escaped, and the rest into the body', async () => {
    const { client, sent } = scripted(json(200, {}))
    await client.enqueued_messages.reorder({ session_id: 'a/b', id: 7, position: 2 })
    expect(sent).toEqual([
      {
        url: 'http://yard.test/api/v1/sessions/a%2Fb/enqueued_messages/7/reorder',
        method: 'PATCH',
        headers: { 'x-api-key': 'k', 'content-type': 'application/json' },
        body: { position: 2 },
      },
    ])
  })

  test('a call of the client puts the rest into the query of a GET and a DELETE, without absent keys', async () => {
    const { client, sent } = scripted(json(200, {}))
    await client.sessions.list({ page: 2, show_archived: true, status: undefined })
    await client.uncle_links.delete({ id: 1, uncle_id: 2, acting_session_id: 1 })
    expect(sent.map(({ url, body }) => [url, body])).toEqual([
      ['http://yard.test/api/v1/sessions?page=2&show_archived=true', undefined],
      ['http://yard.test/api/v1/sessions/1/uncle_links/2?acting_session_id=1', undefined],
    ])
  })

  test('a call of the client returns the JSON, a text as it is, and undefined for an empty answer', async () => {
    const client = createClient({ url: app.url, key: testKey })
    const { category } = await client.categories.create({ name: 'Upkeep' })
    expect(category).toMatchObject({ name: 'Upkeep', session_count: 0 })
    expect(await client.metrics.show()).toContain('yardmaster_')
    expect(await client.categories.delete({ id: category.id })).toBeUndefined()
  })
})

test('the client calls an operation outside of the versioned API at its whole path', async () => {
  const { client, sent } = scripted(json(200, { secrets: [] }))
  expect(await client.secrets.list()).toEqual({ secrets: [] })
  expect(sent.map(({ url }) => new URL(url).pathname)).toEqual(['/api/secrets/keys'])
  expect(await createClient({ url: app.url, key: testKey }).secrets.list()).toEqual({ secrets: [] })
})

describe('an error', () => {
  test('an error of the client is a Problem with status, label and sentences', async () => {
    const client = createClient({ url: app.url, key: testKey })
    const problem = await client.categories.create({ name: ' ' }).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect(problem).toMatchObject({
      status: 422,
      error: 'Validation failed',
      message: "Name can't be blank",
      messages: ["Name can't be blank"],
      retryAfter: undefined,
    })
  })

  test('an answer of a proxy that is no JSON is a Problem too', async () => {
    const { client } = scripted(new Response('<h1>Bad gateway</h1>', { status: 500, statusText: 'Oops' }))
    await expect(client.settings.show()).rejects.toMatchObject({
      status: 500,
      error: 'Oops',
      messages: ['<h1>Bad gateway</h1>'],
    })
  })
})

describe('a retry', () => {
  test('a retry of the client happens for a GET when the server is unavailable, after the time it names', async () => {
    const { client, sent } = scripted(unavailable(), json(200, { settings: {} }))
    expect(await client.settings.show()).toEqual({ settings: {} })
    expect(sent).toHaveLength(2)
  })

  test('a retry of the client happens for a GET when no server is reached', async () => {
    const { client, sent } = scripted(new TypeError('fetch failed'), json(200, {}))
    await client.settings.show()
    expect(sent).toHaveLength(2)
  })

  test('a retry of the client stops after three attempts and throws the last problem', async () => {
    const { client, sent } = scripted(unavailable())
    await expect(client.settings.show()).rejects.toMatchObject({ status: 503, retryAfter: 0 })
    expect(sent).toHaveLength(3)
  })

  test('a retry of the client does not happen when the server names a wait longer than the limit', async () => {
    const { client, sent } = scripted(unavailable('3600'))
    await expect(client.settings.show()).rejects.toMatchObject({ status: 503, retryAfter: 3600 })
    expect(sent).toHaveLength(1)
  })

  test('a retry of the client happens for a create with an idempotency key, and not for one without', async () => {
    const keyed = scripted(unavailable(), json(201, {}))
    await keyed.client.sessions.create({ git_root: '/a', idempotency_key: 'once' })
    expect(keyed.sent).toHaveLength(2)

    const keyless = scripted(unavailable(), json(201, {}))
    await expect(keyless.client.sessions.create({ git_root: '/a' })).rejects.toMatchObject({ status: 503 })
    expect(keyless.sent).toHaveLength(1)
  })

  test('a retry of the client does not happen for a change or for a refusal', async () => {
    const change = scripted(unavailable())
    await expect(change.client.sessions.pause({ id: 1 })).rejects.toMatchObject({ status: 503 })
    expect(change.sent).toHaveLength(1)

    const refusal = scripted(json(404, { error: 'Not Found', messages: ['Not there'] }))
    await expect(refusal.client.sessions.show({ id: 1 })).rejects.toMatchObject({ status: 404 })
    expect(refusal.sent).toHaveLength(1)
  })
})

test('inputs and results have the types of the declarations', () => {
  type NewSession = NonNullable<Parameters<Client['sessions']['create']>[0]>
  expectTypeOf<NewSession['parent_session_id']>().toEqualTypeOf<number | string | null | undefined>()
  expectTypeOf<NewSession['precedence']>().toEqualTypeOf<number | string | null | undefined>()
  expectTypeOf<Parameters<Client['sessions']['update_notes']>[0]>().toEqualTypeOf<{
    id: number | string
    session_notes: string | null
    replaces?: string | null | undefined
  }>()
  expectTypeOf<NonNullable<Parameters<Client['sessions']['list']>[0]>['show_archived']>().toEqualTypeOf<
    boolean | string | undefined
  >()
  expectTypeOf<Awaited<ReturnType<Client['sessions']['pause']>>>().toEqualTypeOf<{ session: Session }>()
  expectTypeOf<Awaited<ReturnType<Client['sessions']['delete']>>>().toEqualTypeOf<undefined>()
  expectTypeOf<Awaited<ReturnType<Client['sessions']['list']>>['sessions']>().toEqualTypeOf<Session[]>()
  expectTypeOf<Awaited<ReturnType<Client['metrics']['show']>>>().toEqualTypeOf<string>()
})
