import type { App } from '../../domain/app.ts'
import type { Endpoint } from '../../platform/http/endpoint.ts'
import { inputSchemaOf, type JsonSchema } from '../../platform/http/openapi.ts'
import type { Call } from './tool.ts'

/** A call with the endpoint it names, and the arguments it takes for it. */
export type BoundCall = Omit<Call, 'endpoint' | 'also'> & {
  endpoint: Endpoint<App>
  fields: readonly Field[]
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
  const { also = {} } = call
  return {
    ...call,
    endpoint,
    fields: [
      ...fieldsOf('params', inputSchemaOf(endpoint.params), call),
      ...fieldsOf('query', inputSchemaOf(endpoint.query), call),
      ...(endpoint.body ? fieldsOf('body', inputSchemaOf(endpoint.body), call) : []),
    ],
    also: Object.entries(also).map(([heading, { when, ...more }]) => ({
      heading,
      when,
      call: bindCall(more, endpoints),
    })),
  }
}

/** Who says it is known here, so nobody is asked; and what is fixed is not asked for. */
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
      schema: property,
    }))
}

/** Every argument it takes, with what is asked for as well. */
export function argumentsOf(call: BoundCall): Field[] {
  return [...call.fields, ...call.also.flatMap((also) => argumentsOf(also.call))]
}
