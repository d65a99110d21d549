import { acceptedTypes, type JsonSchema, jsonType } from '../../platform/http/openapi.ts'
import { refuse } from '../../platform/refusal.ts'
import { argumentsOf, type BoundCall } from './bound-call.ts'

export type Arguments = Readonly<Record<string, unknown>>

/**
 * Validates the arguments of a call. Rejects unknown arguments and wrong types: ignoring them looks like success. Models send
 * `null` for arguments they omit, so `null` counts as absent unless the schema allows it.
 */
export function checkArguments(call: BoundCall, { action, ...given }: Arguments, own: readonly string[]): Arguments {
  const schemas = new Map<string, JsonSchema>(own.map((name) => [name, { type: 'boolean' }]))
  for (const { when } of call.also) if (when) schemas.set(when, { type: 'boolean' })
  for (const { argument, schema } of argumentsOf(call)) schemas.set(argument, schema)

  const args = Object.entries(given).filter(([name, value]) => value !== null || takes(schemas.get(name), 'null'))
  const problems = args.flatMap(([name, value]) => {
    const schema = schemas.get(name)
    if (!schema) return `Unknown argument ${name}. Known: ${[...schemas.keys()].join(', ')}`
    return takes(schema, jsonType(value)) ? [] : `${name} must be ${acceptedTypes(schema)?.join(' or ')}`
  })
  const names = new Set(args.map(([name]) => name))
  const missing = call.fields.filter(({ isRequired, argument }) => isRequired && !names.has(argument))
  if (missing.length > 0) problems.push(`Missing: ${missing.map(({ argument }) => argument).join(', ')}`)
  const changes = call.fields.filter(({ place }) => place === 'body')
  if (call.endpoint.method === 'PATCH' && changes.length > 0 && !changes.some(({ argument }) => names.has(argument)))
    problems.push(`Nothing to change; give one of: ${changes.map(({ argument }) => argument).join(', ')}`)
  if (problems.length > 0) refuse('invalid_parameter', problems)
  return Object.fromEntries(args)
}

function takes(schema: JsonSchema | undefined, type: string): boolean {
  const types = schema && acceptedTypes(schema)
  if (!types) return schema !== undefined
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}
