import { apiPrefix, isWhole } from '@yardmaster/contract/address'
import type { AnswerSpec } from '@yardmaster/contract/endpoint'
import { type RefusalKind, refusals } from '@yardmaster/contract/problem'
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { problemReply } from './problem-reply.ts'

export type JsonSchema = Record<string, unknown>
export type OpenApiDocument = {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  security: Record<string, string[]>[]
  tags: { name: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> }
}
export type OpenApiOperation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  /** Empty where the document's default, the API key, is not asked for. */
  security?: Record<string, string[]>[]
  /** Where the path is not below the document's server. */
  servers?: { url: string }[]
  parameters: { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, OpenApiResponse>
}
export type OpenApiResponse = {
  description: string
  content?: Record<string, { schema: JsonSchema; examples?: Record<string, { value: unknown }> }>
}

/** The whole API as OpenAPI 3.1, generated from the declarations that also validate requests. */
export function describeApi<App>(
  endpoints: readonly Endpoint<App>[],
  about: { title: string; version: string; description: string },
): OpenApiDocument {
  const schemas = componentSchemas(endpoints)
  const paths: OpenApiDocument['paths'] = {}
  for (const endpoint of endpoints) {
    const operations = paths[endpoint.path] ?? {}
    operations[endpoint.method.toLowerCase()] = describeEndpoint(endpoint)
    paths[endpoint.path] = operations
  }
  return {
    openapi: '3.1.1',
    info: {
      title: about.title,
      version: about.version,
      description: about.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: apiPrefix }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  }
}

/** The refusals that follow from an endpoint's auth, path, query and body, so that declarations do not repeat them. */
export function impliedRefusals<App>(endpoint: Endpoint<App>): RefusalKind[] {
  const always: RefusalKind[] = ['unknown_host', 'fault', 'unavailable']
  const withKey: RefusalKind[] = endpoint.auth === 'api_key' ? ['unauthorized', 'too_many_wrong_keys'] : []
  const isWriting = endpoint.method !== 'GET' || endpoint.needsFullScope === true
  const withScope: RefusalKind[] = endpoint.auth === 'api_key' && isWriting ? ['read_only_key'] : []
  const withPassword: RefusalKind[] =
    endpoint.auth === 'operator' ? ['unauthorized', 'too_many_wrong_keys', 'foreign_origin'] : []
  const withSignature: RefusalKind[] = endpoint.signedBy ? ['unauthorized', `${endpoint.signedBy}_unconfigured`] : []
  const withParams: RefusalKind[] = endpoint.path.includes('{') ? ['not_found'] : []
  const withQuery: RefusalKind[] =
    Object.keys(propertiesOf(endpoint.query)).length > 0 ? [endpoint.invalidQuery ?? 'invalid_parameter'] : []
  const takesBody = endpoint.method !== 'GET'
  const withBody: RefusalKind[] = takesBody
    ? ['invalid_json', 'invalid_form', 'unsupported_content_type', 'body_too_large', 'request_timeout']
    : []
  const withSchema: RefusalKind[] = endpoint.body ? [endpoint.invalidBody ?? 'validation_failed'] : []
  const withFile: RefusalKind[] = Object.values(endpoint.answers).includes('zip') ? ['range_not_satisfiable'] : []
  return [
    ...withKey,
    ...withScope,
    ...withPassword,
    ...withSignature,
    ...always,
    ...withFile,
    ...withParams,
    ...withQuery,
    ...withBody,
    ...withSchema,
  ]
}

function describeEndpoint<App>(endpoint: Endpoint<App>): OpenApiOperation {
  return {
    operationId: endpoint.name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...described(endpoint),
    ...(endpoint.auth !== 'api_key' && { security: [] }),
    ...(isWhole(endpoint.path) && { servers: [{ url: '/' }] }),
    parameters: [...parameters('path', endpoint.params), ...parameters('query', endpoint.query)],
    ...(endpoint.body && {
      requestBody: { required: false, content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } } },
    }),
    responses: { ...describeAnswers(endpoint), ...describeRefusals(endpoint) },
  }
}

function described<App>({ description, isPutToo }: Endpoint<App>): { description?: string } {
  const sentences = [description, isPutToo === true ? '`PUT` does the same.' : undefined].filter(
    (each) => each !== undefined,
  )
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

function parameters(place: 'path' | 'query', schema: z.ZodType): OpenApiOperation['parameters'] {
  return Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const { description, ...rest } = property
    return {
      name,
      in: place,
      required: place === 'path',
      ...(typeof description === 'string' && { description }),
      schema: rest,
    }
  })
}

function describeAnswers<App>({ answers }: Endpoint<App>): Record<string, OpenApiResponse> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, declared]) => {
      const specs: readonly AnswerSpec[] = Array.isArray(declared) ? declared : [declared as AnswerSpec] // isArray does not narrow readonly
      const content = Object.assign({}, ...specs.map(contentOf))
      return [
        status,
        { description: answerDescriptions[status] ?? 'Done.', ...(Object.keys(content).length > 0 && { content }) },
      ]
    }),
  )
}

const answerDescriptions: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; there is no body.',
  304: 'Nothing has changed since the answer you have; there is no body.',
}

function contentOf(spec: AnswerSpec): Record<string, { schema: JsonSchema }> {
  if (spec === 'nothing') return {}
  if (spec === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  if (spec === 'zip') return { 'application/zip': { schema: { type: 'string', format: 'binary' } } }
  if (spec === 'event-stream') return { 'text/event-stream': { schema: { type: 'string' } } }
  return { 'application/json': { schema: schemaOf(spec, 'output') } }
}

/** One response for each status, with an example for each refusal that has this status. */
function describeRefusals<App>(endpoint: Endpoint<App>): Record<string, OpenApiResponse> {
  const responses: Record<string, OpenApiResponse> = {}
  for (const kind of new Set([...impliedRefusals(endpoint), ...endpoint.refusals])) {
    const { status, error } = refusals[kind]
    const response = responses[status] ?? {
      description: '',
      content: { 'application/json': { schema: reference('Problem'), examples: {} } },
    }
    response.description = response.description === '' ? error : `${response.description}; ${error}`
    const example = {
      value: problemReply({ kind, messages: [exampleSentences[kind] ?? `${error}.`], beside: {} }).body,
    }
    Object.assign(response.content?.['application/json']?.examples ?? {}, { [kind]: example })
    responses[status] = response
  }
  return responses
}

const exampleSentences: Partial<Record<RefusalKind, string>> = {
  unauthorized: 'Invalid or missing API key',
  read_only_key: 'This key may only read',
  too_many_wrong_keys: 'Too many wrong keys from this address; try again in 42 s',
  not_found: 'The requested resource was not found',
  no_transcript: 'No transcript available for this session',
  validation_failed: "Name can't be blank",
  invalid_parameter: 'Show archived must be true or false',
  invalid_json: 'The body is not valid JSON',
  invalid_form: 'The form has name more than once',
  unsupported_content_type: 'Send the body as application/json',
  invalid_agent_root: 'No agent root named "widgets" is in the catalog',
  invalid_model: 'Model "large" is not a model of demo; valid: demo',
  request_timeout: 'The request did not arrive in time',
  unknown_host: 'This server does not answer to that host name; set APP_HOST to the name it is reached by',
  body_too_large: 'The body is larger than this endpoint takes',
  delivery_replayed: 'Delivery 72d3162e was accepted before',
  chat_unconfigured: 'Chat is not configured',
  forge_unconfigured: 'Set FORGE_TOKEN and FORGE_WEBHOOK_SECRET to receive events of the forge',
  chat_failed: 'missing_scope',
  fault: 'Something went wrong on our side; the log has the details under request id 0b6c1f3e',
  unavailable: 'The database cannot be reached right now; try again shortly',
}

/** Every schema with an id, for `$ref`s. */
function componentSchemas<App>(endpoints: readonly Endpoint<App>[]): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = { Problem: problemSchema() }
  const collect = (spec: AnswerSpec, io: 'input' | 'output'): void => {
    if (typeof spec === 'string') return
    const { $defs } = z.toJSONSchema(spec, { ...jsonSchemaOptions, io })
    for (const [name, schema] of Object.entries($defs ?? {})) found[name] = rebase(schema)
  }
  for (const { body } of endpoints) if (body) collect(body, 'input')
  // After the bodies: a schema that is both sent and received is described as it is received.
  for (const { answers } of endpoints) {
    for (const spec of Object.values(answers).flat() as AnswerSpec[]) collect(spec, 'output') // flat() loses readonly lists
  }
  return found
}

function problemSchema(): JsonSchema {
  const text = { type: 'string' }
  return {
    type: 'object',
    required: ['error', 'message', 'messages'],
    properties: {
      error: { ...text, description: 'A short label for the kind of error.' },
      message: { ...text, description: 'The messages, joined with a comma and a space.' },
      messages: { type: 'array', items: text, description: 'One sentence for each thing that is wrong.' },
    },
  }
}

const jsonSchemaOptions = {
  target: 'draft-2020-12',
  unrepresentable: 'any',
  reused: 'inline',
  // zod omits these where a schema transforms its input, but they describe what callers send.
  override: ({ zodSchema, jsonSchema }) => {
    const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {}
    if (examples !== undefined) jsonSchema.examples = examples as typeof jsonSchema.examples // written by us, as JSON
    if (fallback !== undefined) jsonSchema.default = fallback as typeof jsonSchema.default // likewise
  },
} satisfies z.core.ToJSONSchemaParams

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, $defs: __, ...rest } = z.toJSONSchema(schema, { ...jsonSchemaOptions, io })
  return rebase(rest)
}

/** The input of a schema with its references inlined, for use outside the document. */
export function inputSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { ...jsonSchemaOptions, io: 'input' })
  return rest
}

/** The JSON types that a schema takes; undefined where it names none. */
export function acceptedTypes({ type, anyOf, enum: values }: JsonSchema): string[] | undefined {
  if (type !== undefined) return [type].flat().map(String)
  if (Array.isArray(values)) return [...new Set(values.map(jsonType))]
  if (!Array.isArray(anyOf)) return undefined
  const each = anyOf.map((one: JsonSchema) => acceptedTypes(one))
  return each.every((types) => types !== undefined) ? each.flat() : undefined
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function propertiesOf(schema: z.ZodType): Record<string, JsonSchema> {
  const { properties } = schemaOf(schema, 'input')
  return (properties ?? {}) as Record<string, JsonSchema> // JSON Schema defines properties as a map of schemas
}

/** zod puts named schemas under `$defs` of each root; the document has them under `components`. */
function rebase(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'))
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}
