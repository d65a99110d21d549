import type { JsonSchema } from '../http/openapi.ts'

/** A tool as `tools/list` describes it. */
export type OfferedTool = { name: string; description: string; inputSchema: JsonSchema & { type: 'object' } }

/** `isError` marks a refusal. The agent reads its text and can correct the call. */
export type ToolAnswer = { text: string; isError: boolean }

/** The tools that one caller may use. */
export type ToolBox = {
  about: { name: string; version: string; instructions: string }
  list(): OfferedTool[]
  /** Undefined when the caller has no tool of this name. */
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer | undefined>
}
