import type { JsonSchema, OpenApiDocument, OpenApiOperation } from '../../../src/platform/http/openapi.ts'
import { seededRandom } from './random-json.ts'

export type MadeRequest = { method: string; url: string; body: string | undefined; operation: string }

type Target = { method: string; path: string; operation: OpenApiOperation }

/**
 * Requests to every endpoint, generated from the API's own description: valid ones with something wrong in the path, the
 * query or the body. The same seed makes the same requests.
 */
export function malformedRequests(
  api: OpenApiDocument,
  { seed, without, idsOf }: { seed: number; without: readonly string[]; idsOf(parameter: string): readonly string[] },
): () => MadeRequest {
  const random = seededRandom(seed)
  const upTo = (bound: number): number => Math.floor(random() * bound)
  const oneOf = <T>(choices: readonly T[]): T => choices[upTo(choices.length)] as T // never empty here
  const targets: Target[] = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const wanted = targets.filter(({ operation }) => !without.includes(operation.operationId))
  let turn = 0
  /** The share of a request that is wrong; a request that is all wrong gets no further than the first check. */
  let hostility = 0

  const fitting = (schema: JsonSchema, depth: number): unknown => {
    const { type, enum: values, examples, properties, items, anyOf } = resolved(api, schema)
    if (Array.isArray(values) && values.length > 0 && random() < 0.8) return oneOf(values)
    if (Array.isArray(examples) && examples.length > 0 && random() < 0.5) return oneOf(examples)
    if (Array.isArray(anyOf) && anyOf.length > 0) return fitting(oneOf(anyOf) as JsonSchema, depth)
    switch (Array.isArray(type) ? oneOf(type) : type) {
      case 'integer':
      case 'number':
        return upTo(200) - 20
      case 'boolean':
        return random() < 0.5
      case 'array':
        return depth > 3 ? [] : Array.from({ length: upTo(3) }, () => fitting((items ?? {}) as JsonSchema, depth + 1))
      case 'object':
        return depth > 3 ? {} : object((properties ?? {}) as Record<string, JsonSchema>, depth + 1)
      case 'null':
        return null
      default:
        return oneOf(['word', 'two words', 'say hello', '2031-01-01T00:00', 'demo', 'main', '/nowhere/at-all'])
    }
  }
  const object = (properties: Record<string, JsonSchema>, depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(() => random() < 0.7)
        .map(([name, schema]) => [name, random() < hostility ? oneOf(hostileValues) : fitting(schema, depth)]),
    )
  const body = (operation: OpenApiOperation): string | undefined => {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (random() < 0.04) return oneOf(brokenBodies)
    if (!schema) return random() < 0.5 ? undefined : JSON.stringify(oneOf(hostileValues))
    const { properties = {} } = resolved(api, schema)
    const made = object(properties as Record<string, JsonSchema>, 0)
    const extra = random() < 0.1 ? { [oneOf(hostileNames)]: oneOf(hostileValues) } : {}
    return random() < 0.05 ? JSON.stringify(oneOf(hostileValues)) : JSON.stringify({ ...made, ...extra })
  }
  const url = ({ path, operation }: Target): string => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      random() < 0.75 ? oneOf(idsOf(name)) : encodeURIComponent(oneOf(hostileSegments)),
    )
    const query = operation.parameters
      .filter((parameter) => parameter.in === 'query' && random() < 0.5)
      .map(({ name, schema }) => {
        const value = random() < 0.5 ? fitting(schema, 0) : oneOf(hostileTexts)
        return `${encodeURIComponent(name)}=${random() < 0.03 ? '%ff%zz' : encodeURIComponent(wellFormed(String(value)))}`
      })
    return `${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  }
  return () => {
    const target = wanted[turn++ % wanted.length] as Target // never empty here
    const { method, operation } = target
    hostility = oneOf([0, 0.05, 0.15, 0.5])
    return {
      method,
      url: url(target),
      body: method === 'GET' ? undefined : body(operation),
      operation: operation.operationId,
    }
  }
}

function resolved(api: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const { $ref } = schema
  return typeof $ref === 'string' ? (api.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}) : schema
}

/** PostgreSQL compresses a long text before it checks whether an index can hold it; it cannot compress this one. */
function incompressible(length: number): string {
  const random = seededRandom(length)
  return Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(random() * 20_000))).join('')
}

/** A lone surrogate cannot be percent-encoded. */
function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udfff]/gu, '?')
}

const hostileTexts = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'NaN',
  '\0',
  '\u202e\u0000x',
  '%',
  "'; drop table sessions; --",
  '../../etc/passwd',
  '`id`',
  '😀'.repeat(50),
  '\ud800',
  'x'.repeat(300),
  'x'.repeat(1200),
  'toString',
  '__proto__',
  '\r\nX-Injected: 1',
  '9'.repeat(40),
  // Times that JavaScript or PostgreSQL does not know, or that only PostgreSQL knows.
  '+275761-01-01T00:00:00Z',
  '-004800-01-01T00:00:00Z',
  '2031-02-30T24:00:00+99:99',
  'infinity',
  incompressible(900),
]

const hostileSegments = hostileTexts.map(wellFormed).filter((text) => text !== '' && !text.includes('/'))

const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  '\0',
  'x'.repeat(500),
  'id',
  'status',
  '$where',
]

let deep: unknown = 1
for (let level = 0; level < 63; level += 1) deep = [deep]

const hostileValues: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  9_223_372_036_854_775_807n.toString(),
  Number.MAX_SAFE_INTEGER,
  ...hostileTexts,
  'x'.repeat(51_000),
  incompressible(9000),
  [],
  [null],
  [[]],
  Array(120).fill('x'),
  Array(120).fill(1),
  {},
  { a: { b: null } },
  { length: -1 },
  { toString: 'x', valueOf: null },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
  deep,
]

const brokenBodies = [
  '{',
  '[]]',
  '{"a":}',
  'null',
  '""',
  '\u0000',
  '{"a":1}{"b":2}',
  'ÿþ',
  '[',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
]
