import { Validator } from '@seriousme/openapi-schema-validator'
import { wholePath } from '@yardmaster/contract/address'
import { refusals } from '@yardmaster/contract/problem'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { modules } from '../../../src/app/modules.ts'
import { created, ok } from '../../../src/platform/http/answer.ts'
import type { Endpoint } from '../../../src/platform/http/endpoint.ts'
import { describeApi, type OpenApiDocument, type OpenApiOperation } from '../../../src/platform/http/openapi.ts'
import { testApp } from '../../support/app/app.ts'
import { defineEndpoint, listEndpoint } from '../../support/http/kit-server.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const about = { title: 'Test', version: '1.0.0', description: 'A test.' }

async function served(): Promise<OpenApiDocument> {
  const { status, body, headers } = await app.get('/openapi.json')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  return body
}

type Operation = OpenApiOperation & { method: string; path: string }

function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )
}

/** Every `$ref` anywhere in the document. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  )
}

async function expectValid(document: OpenApiDocument): Promise<void> {
  // The validator wants any object; ours has a narrower type.
  const result = await new Validator().validate(document as unknown as Record<string, unknown>)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  for (const reference of referencesIn(document)) {
    const name = reference.replace('#/components/schemas/', '')
    expect(Object.keys(document.components.schemas)).toContain(name)
  }
}

describe('GET /openapi.json', () => {
  test('GET /openapi.json is a valid OpenAPI 3.1 document whose references all resolve', async () => {
    const document = await served()
    expect(document.openapi).toMatch(/^3\.1\./)
    await expectValid(document)
  })

  test('GET /openapi.json describes exactly the mounted endpoints', async () => {
    const document = await served()
    const described = operationsOf(document).map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    const declared = modules.flatMap(({ endpoints = [] }) => endpoints.map(({ method, path }) => `${method} ${path}`))
    expect(described.sort()).toEqual(declared.sort())
    for (const { method, path } of operationsOf(document)) {
      const url = wholePath(path).replace(/\{(\w+)\}/g, ':$1')
      expect([url, app.host.web?.server.hasRoute({ method: method.toUpperCase() as 'GET', url })]).toEqual([url, true])
    }
  })

  test('GET /openapi.json gives each operation a unique id, a summary and a tag', async () => {
    const operations = operationsOf(await served())
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operationId, summary, tags } of operations) {
      expect([operationId, summary.length > 0, tags.length]).toEqual([operationId, true, 1])
    }
  })

  test('GET /openapi.json declares each parameter of a path', async () => {
    for (const { path, parameters } of operationsOf(await served())) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect([path, ...inPath.map(({ name }) => name)]).toEqual([
        path,
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      ])
      expect(inPath.every(({ required }) => required)).toBe(true)
    }
  })

  test('GET /openapi.json requires the API key on every operation but those with a token in the path and the signed webhooks', async () => {
    const document = await served()
    expect(document.security).toEqual([{ apiKey: [] }])
    expect(document.components.securitySchemes.apiKey).toEqual({ type: 'apiKey', in: 'header', name: 'X-API-Key' })
    const open = operationsOf(document).filter((operation) => 'security' in operation)
    expect(open.map(({ path }) => path)).toEqual([
      '/elicitations/session/{token}',
      '/elicitations/session/{token}/{request_id}',
      '/webhooks/chat',
      '/webhooks/forge',
    ])
  })

  test('GET /openapi.json lists every status of an operation, each error with the Problem schema', async () => {
    for (const { method, path, parameters, responses } of operationsOf(await served())) {
      const expected = [401, 421, 500, 503]
      if (!path.startsWith('/webhooks/')) expected.push(429)
      if (path.includes('{')) expected.push(404)
      if (method !== 'get') expected.push(408, 413, 422)
      if (parameters.some((parameter) => parameter.in === 'query')) expected.push(422)
      const statuses = Object.keys(responses).map(Number)
      expect([method, path, expected.filter((status) => !statuses.includes(status))]).toEqual([method, path, []])
      expect(statuses.some((status) => status < 300)).toBe(true)
      for (const status of statuses.filter((code) => code >= 400)) {
        expect(responses[status]?.content?.['application/json']?.schema).toEqual({
          $ref: '#/components/schemas/Problem',
        })
      }
    }
  })

  test('GET /openapi.json has an example for each declared refusal', async () => {
    const document = await served()
    for (const { method, path, refusals: kinds } of modules.flatMap(({ endpoints = [] }) => endpoints)) {
      const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {}
      for (const kind of kinds) {
        const { status, error } = refusals[kind]
        const examples = responses[status]?.content?.['application/json']?.examples ?? {}
        expect([path, kind, examples[kind]?.value]).toEqual([path, kind, expect.objectContaining({ error })])
      }
    }
  })
})

test('the description of an operation outside of the versioned API names the root as its server', async () => {
  const { servers, paths } = await served()
  expect(servers).toEqual([{ url: '/api/v1' }])
  const withOwnServer = Object.entries(paths).filter(([, { get }]) => get?.servers !== undefined)
  expect(withOwnServer.map(([path, { get }]) => [path, get?.operationId, get?.servers])).toEqual([
    ['/api/secrets/keys', 'secrets.list', [{ url: '/' }]],
  ])
})

describe('a description', () => {
  const Thing = z.object({ id: z.int(), parent: z.int().nullable() }).meta({ id: 'Thing' })
  const OnlySent = z.object({ deep: z.string() }).meta({ id: 'OnlySent' })
  const endpoints: Endpoint<Record<never, never>>[] = [
    defineEndpoint({
      name: 'things.add_part',
      method: 'POST',
      path: '/things/{id}/parts_of',
      tag: 'Things',
      summary: 'Add a part',
      params: z.object({ id: z.string() }),
      query: z.object({ dry_run: z.string().optional().meta({ description: 'Whether to only look.' }) }),
      body: z.object({ name: z.string(), inner: OnlySent, others: z.array(OnlySent) }),
      answers: { 200: z.object({ thing: Thing }), 201: [z.object({ thing: Thing }), 'text'], 204: 'nothing' },
      refusals: ['invalid_model'],
      handle: async () => created('a'),
    }),
    listEndpoint({
      path: '/things',
      tag: 'Things',
      summary: 'List',
      key: 'things',
      item: Thing,
      find: async () => ({ items: [], totalCount: 0 }),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/follow',
      tag: 'Events',
      summary: 'Follow',
      answers: { 200: 'event-stream' },
      handle: async () => ok(null as never),
    }),
  ]
  const document = describeApi(endpoints, about)

  test('a description of the API is valid, including schemas that are only sent', () => expectValid(document))

  test('a description of the API contains the declared parameters, body, answers and refusals', () => {
    const operation = document.paths['/things/{id}/parts_of']?.post
    expect(operation?.operationId).toBe('things.add_part')
    expect(operation?.parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['id', 'path', true],
      ['dry_run', 'query', false],
    ])
    expect(operation?.requestBody?.content['application/json']?.schema).toMatchObject({
      required: ['name', 'inner', 'others'],
    })
    const statuses = Object.keys(operation?.responses ?? {}).map(Number)
    expect(statuses).toEqual([200, 201, 204, 401, 403, 404, 408, 413, 421, 422, 429, 500, 503])
    expect(Object.keys(operation?.responses[201]?.content ?? {})).toEqual(['application/json', 'text/plain'])
    expect(operation?.responses[204]).not.toHaveProperty('content')
    const examples = operation?.responses[422]?.content?.['application/json']?.examples ?? {}
    expect(Object.keys(examples).sort()).toEqual(
      [
        'invalid_form',
        'invalid_json',
        'invalid_model',
        'invalid_parameter',
        'unsupported_content_type',
        'validation_failed',
      ].sort(),
    )
    expect(Object.keys(document.paths['/follow']?.get?.responses[200]?.content ?? {})).toEqual(['text/event-stream'])
  })

  test('a description of the API has the paging parameters of a list', () => {
    const list = document.paths['/things']?.get
    expect(list?.parameters.map(({ name, schema }) => [name, schema.type, schema.default])).toEqual([
      ['page', 'integer', 1],
      ['per_page', 'integer', 25],
    ])
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(['Problem', 'Thing', 'Pagination']))
  })
})

describe('GET /docs', () => {
  test('GET /docs is an HTML page that names every path, without a key and without a script of another origin', async () => {
    const response = await app.send('/docs')
    const html = await response.text()
    const text = html.replace(/<[^>]*>/g, '')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(Object.keys((await served()).paths).filter((path) => !text.includes(path))).toEqual([])
    expect(/<script[^>]+src=["']?(https?:)?\/\//.test(html)).toBe(false)
  })
})
