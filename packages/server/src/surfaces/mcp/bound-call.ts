import type { App } from '../../domain/app.ts'
import type { Endpoint } from '../../platform/http/endpoint.ts'
import { inputSchemaOf, type JsonSchema } from '../../platform/http/openapi.ts'
import type { Call } from './tool.ts'

/** A call with the endpoint it names, and the arguments it takes for it. */
export type BoundCall = Omit<Call, 'endpoint' | 'also'> & {
  endpoint: Endpoint<App>
  fields: readonly Field[]
  /** The argument that names the session it is about; undefined when it is about none, or about a new one. */
  target: Field | undefined
  /** Whether it makes a session. */
  isStart: boolean
  also: readonly { heading: string; when: string | undefined; call: BoundCall }[]
}

export type Field = {
  /** As the tool calls it. */
  argument: string
  /** As the endpoint calls it, and where it wants it. */
  name: string
  place: 'params' | 'query' | 'body'
  isRequired: boolean
  schema: JsonSchema
}

export function bindCall(call: Call, endpoints: ReadonlyMap<string, Endpoint<App>>): BoundCall {
  const endpoint = endpoints.get(call.endpoint)
  if (!endpoint) throw new Error(`a tool calls ${call.endpoint}, which no endpoint answers`)
  const fields = [
    ...fieldsOf('params', inputSchemaOf(endpoint.params), call),
    ...fieldsOf('query', inputSchemaOf(endpoint.query), call),
    ...(endpoint.body ? fieldsOf('body', inputSchemaOf(endpoint.body), call) : []),
  ]
  // Who may reach a session is judged by this argument, so a call about one without it must not come to be.
  const [, inPath] = /^\/sessions\/\{(\w+)\}/.exec(endpoint.path) ?? []
  const target = fields.find(({ place, name }) => place === 'params' && name === inPath)
  if (inPath !== undefined && !target) throw new Error(`a tool calls ${call.endpoint} and cannot say for which session`)
  return {
    ...call,
    endpoint,
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

/** Who says it is known here, so nobody is asked. */
const knownOtherwise = ['acting_session_id']

function fieldsOf(place: Field['place'], schema: JsonSchema, { from = {}, takes, fixed = {} }: Call): Field[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] } // as JSON Schema defines them
  return Object.entries(properties)
    .filter(([name]) => place === 'params' || !takes || takes.includes(name))
    .filter(([name]) => !knownOtherwise.includes(name) && !Object.hasOwn(fixed, name))
    .map(([name, property]) => ({
      argument: from[name] ?? name,
      name,
      place,
      isRequired: place === 'params' || required.includes(name),
      // In a path everything is text; whoever has read an answer has a number.
      schema: place === 'params' ? { ...property, type: ['integer', 'string'] } : property,
    }))
}

/** Every argument it takes, with what is asked for as well. */
export function argumentsOf(call: BoundCall): Field[] {
  return [...call.fields, ...call.also.flatMap((also) => argumentsOf(also.call))]
}
