/** A request for an answer, in whichever wire format it came. */
export type ModelRequest = {
  model: string
  /** The CLI's own name for the conversation, where it sends one: two that say the same words are kept apart by it. */
  conversation: string
  /** System prompt and developer messages. */
  instructions: string
  /** What the user said last, without what the CLI put around it. */
  prompt: string
  /** How many of the prompt's answers with a call the conversation holds already. */
  answersGiven: number
  /** What the CLI answered to the start of a subagent that runs beside its parent and has not been waited for. */
  spawned?: string
  /** Whether the answer before this one looked for a tool that is not offered until it is asked for. */
  hasSearched: boolean
  /** Prompts so far, this one included: the same words said twice are two prompts. */
  promptCount: number
  tools: Tool[]
  /** Undefined where the request sets no limit. */
  maxOutputTokens: number | undefined
  isStream: boolean
}

export type Tool = {
  name: string
  /** Codex groups the tools of an MCP server under a name that is sent back with each call. */
  namespace?: string
  /** Takes one text instead of JSON. */
  isFreeform: boolean
  /** The names of its inputs, and which of those are lists. */
  inputs: Record<string, { isList: boolean }>
}

export type JsonSchema = { properties?: Record<string, { type?: unknown }> }

export function inputsOf(schema: JsonSchema | undefined): Tool['inputs'] {
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).map(([name, { type }]) => [name, { isList: type === 'array' }]),
  )
}
