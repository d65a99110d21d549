import type { JsonSchema } from '../../platform/http/openapi.ts'
import type { OfferedTool } from '../../platform/mcp/answer-message.ts'
import { argumentsOf, type BoundCall } from './bound-call.ts'
import type { Tool } from './tool.ts'

/** A tool with the calls of it that the caller may use. */
export type BoundTool = Omit<Tool, 'calls'> & { calls: ReadonlyMap<string, BoundCall> }

/** The name of the argument with which a tool is asked not to cut anything. */
const verbose: JsonSchema = { type: 'boolean', description: 'Everything, and long texts whole.' }

/** What a caller is told of a tool: its actions with what each is for, and every argument with its own rule. */
export function offer(tool: BoundTool, { knowsItsSession }: { knowsItsSession: boolean }): OfferedTool {
  const calls = [...tool.calls]
  const properties: Record<string, JsonSchema> = {}
  if (!tool.choose)
    properties.action = { type: 'string', enum: calls.map(([name]) => name), description: actions(calls) }
  for (const [, call] of calls) {
    for (const { argument, schema } of argumentsOf(call)) properties[argument] ??= schema
    for (const { when, heading } of call.also)
      if (when) properties[when] ??= { type: 'boolean', description: `With its ${heading.replaceAll('_', ' ')}.` }
  }
  if (tool.choose) properties.verbose = verbose
  const always = calls.map(
    ([, call]) => new Set(call.fields.filter((field) => field.isRequired).map((field) => field.argument)),
  )
  const required = Object.keys(properties).filter(
    (name) => always.every((names) => names.has(name)) && !(knowsItsSession && isSessionArgument(name)),
  )
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

/** Tools call the session they are about by one of these; whoever has a session of its own may leave it out. */
export function isSessionArgument(name: string): boolean {
  return name === 'session_id' || name === 'id'
}

function actions(calls: readonly (readonly [string, BoundCall])[]): string {
  return calls
    .map(([name, { endpoint, fields }]) => {
      const takes = fields.filter(({ place }) => place !== 'params').map(({ argument }) => argument)
      return `${name}: ${endpoint.summary}${takes.length > 0 ? ` (${takes.join(', ')})` : ''}.`
    })
    .join('\n')
}
