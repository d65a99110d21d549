/** What an agent is given to work with, whatever its kind: names are resolved and secrets filled in. */
export type Equipment = {
  /** Said to the agent beside its own system prompt: the goal, and what it has to do without. Empty when there is nothing to say. */
  instructions: string
  mcpServers: readonly McpServer[]
  skills: readonly Skill[]
  hooks: readonly Hook[]
  /** Variables for the agent and its tools. */
  environment: Readonly<Record<string, string>>
}

export type McpServer =
  | { name: string; kind: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { name: string; kind: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> }

/** A folder with a `SKILL.md`, and the documents it refers to. */
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

/** A program that runs when something happens. A `./` path in it is inside its folder. */
export type Hook = {
  id: string
  folder: string
  event: HookEvent
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  timeoutSeconds: number | undefined
  /** A tool's name or a regular expression; undefined is every tool. */
  matcher: string | undefined
}

export const noEquipment: Equipment = { instructions: '', mcpServers: [], skills: [], hooks: [], environment: {} }
