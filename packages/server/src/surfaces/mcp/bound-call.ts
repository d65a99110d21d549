import type { App } from '../../domain/app.ts'
import type { Call } from '../../domain/tool.ts'
import type { Endpoint } from '../../platform/http/endpoint.ts'
import { inputSchemaOf, type JsonSchema } from '../../platform/http/openapi.ts'

/** A call of the tool table, resolved to its endpoint and its arguments. */
export type BoundCall = Omit<Call, 'endpoint' | 'also' | 'consults' | 'session'> & {
  endpoint: Endpoint<App>
  consulted: BoundCall | undefined
  fields: readonly Field[]
  /** The argument that names the session; undefined when the call concerns no session or creates one. */
  target: Field | undefined
  /** True if the call creates a session. */
  isStart: boolean
  also: readonly { heading: string; when: string | undefined; call: BoundCall }[]
}

export type Field = {
  /** Name in the tool's schema. */
  argument: string
  /** Name and location in the endpoint's request. */
  name: string
  place: 'params' | 'query' | 'body'
  isRequired: boolean
  schema: JsonSchema
}

export function bindCall(call: Call, endpoints: ReadonlyMap<string, Endpoint<App>>): BoundCall {
  const endpoint = endpoints.get(call.endpoint)
  if (!endpoint) throw new Error(`tool table: no endpoint ${call.endpoint}`)
  const fields = [
    ...fieldsOf('params', inputSchemaOf(endpoint.params), call),
    ...fieldsOf('query', inputSchemaOf(endpoint.query), call),
    ...(endpoint.body ? fieldsOf('body', inputSchemaOf(endpoint.body), call) : []),
  ]
  // Access to a session is checked by this argument, so a call on a session must have it.
  const [, inPath] = /^\/sessions\/\{(\w+)\}/.exec(endpoint.path) ?? []
  const target = fields.find(({ place, name, argument }) =>
    inPath === undefined ? argument === call.session : place === 'params' && name === inPath,
  )
  if ((inPath ?? call.session) !== undefined && !target)
    throw new Error(`tool table: ${call.endpoint} has no session argument`)
  return {
    ...call,
    endpoint,
    consulted: call.consults && bindCall({ endpoint: call.consults }, endpoints),
    fields,
    target,
    isStart: call.endpoint === 'POST /sessions',
    also: Object.entries(call.also ?? {}).map(([heading, { when, ...more }]) => ({
      heading,
      when,
      call: bindCall(more, endpoints),
    })),
  }
}

/** Filled in from the caller's key, so tools do not offer them. */
const filledFromKey = ['acting_session_id']

function fieldsOf(place: Field['place'], schema: JsonSchema, { from = {}, takes, fixed = {} }: Call): Field[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] } // as JSON Schema defines them
  return Object.entries(properties)
    .filter(([name]) => place === 'params' || !takes || takes.includes(name))
    .filter(([name]) => !filledFromKey.includes(name) && !Object.hasOwn(fixed, name))
    .map(([name, property]) => ({
      argument: from[name] ?? name,
      name,
      place,
      isRequired: place === 'params' || required.includes(name),
      // A path parameter is text, but an agent that read an answer has a number.
      schema: place === 'params' ? { ...property, type: ['integer', 'string'] } : property,
    }))
}

/** All arguments, including those of the additional calls. */
export function argumentsOf(call: BoundCall): Field[] {
  return [...call.fields, ...call.also.flatMap((also) => argumentsOf(also.call))]
}
