/** What a session gives its agent, for every kind of agent. Names are resolved and secrets filled in. */
export type Equipment = {
  /** Appended to the agent's system prompt: the goal, and which equipment is missing. May be empty. */
  instructions: string
  mcpServers: readonly McpServer[]
  skills: readonly Skill[]
  hooks: readonly Hook[]
  /**
   * Whether the agent uses settings in the repository that run programs: hooks, MCP servers, helpers, variables. What is
   * text, such as skills and instructions, it always gets.
   */
  usesRepositoryConfiguration: boolean
  /** Environment variables for the agent and its tools. */
  environment: Readonly<Record<string, string>>
}

export type McpServer =
  | { name: string; kind: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { name: string; kind: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> }

/** A folder with a `SKILL.md`, and the documents that the skill refers to. */
export type Skill = { id: string; folder: string; references: readonly { name: string; path: string }[] }

export const hookEvents = [
  'session_start',
  'session_end',
  'pre_tool_call',
  'post_tool_call',
  'pre_commit',
  'post_commit',
  'notification',
  'stop',
] as const
export type HookEvent = (typeof hookEvents)[number]

/** A program that runs on an event. A `./` path is relative to the hook's folder. */
export type Hook = {
  id: string
  folder: string
  event: HookEvent
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  timeoutSeconds: number | undefined
  /** A tool's name or a regular expression; undefined matches every tool. */
  matcher: string | undefined
}

export const noEquipment: Equipment = {
  instructions: '',
  mcpServers: [],
  skills: [],
  hooks: [],
  usesRepositoryConfiguration: false,
  environment: {},
}
