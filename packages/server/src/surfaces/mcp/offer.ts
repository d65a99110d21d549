import type { Tool } from '../../domain/tool.ts'
import type { JsonSchema } from '../../platform/http/openapi.ts'
import type { OfferedTool } from '../../platform/mcp/tool-box.ts'
import { argumentsOf, type BoundCall } from './bound-call.ts'

/** A tool of all rooms together, reduced to the calls that the caller may use. */
export type BoundTool = Pick<Tool, 'name' | 'choose'> & { about: string; calls: ReadonlyMap<string, BoundCall> }

/** Arguments of every tool that no endpoint knows. */
export const ownArguments = ['verbose']

/** Describes a tool for `tools/list`: each action with its purpose, each argument with its schema. */
export function offer(tool: BoundTool, { knowsItsSession }: { knowsItsSession: boolean }): OfferedTool {
  const calls = [...tool.calls]
  const properties: Record<string, JsonSchema> = {}
  if (!tool.choose)
    properties.action = { type: 'string', enum: calls.map(([name]) => name), description: actions(calls) }
  for (const [action, call] of calls) {
    for (const { argument, schema } of argumentsOf(call))
      properties[argument] = mergeSchemas(properties[argument], schema, action)
    for (const [argument, schema] of Object.entries(call.adds ?? {})) properties[argument] = schema
    for (const { when, heading } of call.also)
      if (when) properties[when] = { type: 'boolean', description: `With its ${heading.replaceAll('_', ' ')}.` }
  }
  properties.verbose = { type: 'boolean', description: 'Every field, and long texts whole.' }
  const always = calls.map(([, { fields, target }]) =>
    fields
      .filter((field) => field.isRequired && !(knowsItsSession && field === target))
      .map(({ argument }) => argument),
  )
  const required = Object.keys(properties).filter((name) => always.every((names) => names.includes(name)))
  return {
    name: tool.name,
    description: tool.about,
    inputSchema: {
      type: 'object',
      properties,
      required: tool.choose ? required : ['action', ...required],
      additionalProperties: false,
    },
  }
}

/** Two actions may give one argument different meanings; the description then lists both. */
function mergeSchemas(known: JsonSchema | undefined, schema: JsonSchema, action: string): JsonSchema {
  const [description, more] = [known?.description, schema.description]
  if (!known || typeof description !== 'string') return schema
  if (typeof more !== 'string' || description.includes(more)) return known
  return { ...known, description: `${description} For ${action}: ${more}` }
}

function actions(calls: readonly (readonly [string, BoundCall])[]): string {
  return calls
    .map(([name, { endpoint, fields, target }]) => {
      const takes = fields.filter((field) => field !== target).map(({ argument }) => argument)
      return `${name}: ${endpoint.summary}${takes.length > 0 ? ` (${takes.join(', ')})` : ''}.`
    })
    .join('\n')
}
