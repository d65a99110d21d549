/** A model request, independent of its wire format. */
export type ModelRequest = {
  model: string
  /** The CLI's id of the conversation, if it sends one. Distinguishes conversations with equal prompts. */
  conversation: string
  /** System prompt and developer messages. */
  instructions: string
  /** The last user prompt, without the CLI's wrapping. */
  prompt: string
  /** How many answers with a call to this prompt the conversation already has. */
  answersGiven: number
  /** The CLI's answer to the start of a parallel subagent that was not waited for yet. */
  spawned?: string
  /** Whether the previous answer searched for a tool that is offered only on request. */
  hasSearched: boolean
  /** The number of prompts so far, including this one. Distinguishes equal prompts. */
  promptCount: number
  tools: Tool[]
  /** Undefined if the request sets no limit. */
  maxOutputTokens: number | undefined
  isStream: boolean
}

export type Tool = {
  name: string
  /** Codex groups the tools of an MCP server under a name; each call has to return it. */
  namespace?: string
  /** Whether the tool takes text instead of JSON. */
  isFreeform: boolean
  /** The names of the inputs, and which of them are lists. */
  inputs: Record<string, { isList: boolean }>
}

export type JsonSchema = { properties?: Record<string, { type?: unknown }> }

export function inputsOf(schema: JsonSchema | undefined): Tool['inputs'] {
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).map(([name, { type }]) => [name, { isList: type === 'array' }]),
  )
}
