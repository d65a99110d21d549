import type { RuntimeModel } from '../runtime.ts'

/** An agent that speaks the Agent Client Protocol on its standard streams, as the operator describes it. */
export type AcpAgent = {
  name: string
  /** An absolute path, or a name to be found on the PATH. */
  command: string
  args: readonly string[]
  /** Names of variables that it gets from our environment, if we have them. */
  passEnvironment: readonly string[]
  setEnvironment: Readonly<Record<string, string>>
  models: readonly RuntimeModel[]
  /** The mode its sessions are put into, such as one that asks for no permissions. */
  mode?: string | undefined
  /** The way it is told to sign in before its first session, where it has to be told. */
  authMethod?: string | undefined
  /** Where the values of `passEnvironment` are; by default the environment of our process. */
  environment?: Readonly<Record<string, string | undefined>> | undefined
  patience?: Patience | undefined
}

export type Patience = {
  /** For an answer to anything but a prompt. */
  answerMs: number
  /** For an agent that was asked to stop, and then for one that was told. */
  graceMs: number
  /** For an agent to end by itself when there is nothing more to say. */
  lastWordsMs: number
}

/** Under load the slowest agent we met took twenty seconds to introduce itself; a session may start MCP servers first. */
export const usualPatience: Patience = { answerMs: 180_000, graceMs: 5000, lastWordsMs: 2000 }
