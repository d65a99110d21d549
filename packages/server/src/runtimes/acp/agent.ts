import type { RuntimeModel } from '../runtime.ts'

/** An agent that speaks the Agent Client Protocol on its standard streams, as the operator configured it. */
export type AcpAgent = {
  name: string
  /** An absolute path, or a name on the PATH. */
  command: string
  args: readonly string[]
  /** Names of variables that the agent gets from the server's environment, if they are set. */
  passEnvironment: readonly string[]
  setEnvironment: Readonly<Record<string, string>>
  models: readonly RuntimeModel[]
  /** The mode for its sessions, such as one that asks for no permissions. */
  mode?: string | undefined
  /** The sign-in method to request before opening a session, for agents that require it. */
  authMethod?: string | undefined
  /** Holds the values for `passEnvironment`; default is the environment of this process. */
  environment?: Readonly<Record<string, string | undefined>> | undefined
  timeouts?: Timeouts | undefined
}

/** The variables of the agent that hold keys, by their names. */
export function keyNamesOf({ passEnvironment, setEnvironment }: AcpAgent): string[] {
  return [...passEnvironment, ...Object.keys(setEnvironment)].filter(isSecretName)
}

export function isSecretName(name: string): boolean {
  return /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name)
}

export type Timeouts = {
  /** For an answer to any request but a prompt. */
  answerMs: number
  /** Grace period after the protocol's cancel, and again after SIGTERM. */
  graceMs: number
  /** For the agent to exit after its input is closed. */
  exitMs: number
}

/** Under load the slowest agent we tried took twenty seconds to initialize; opening a session may start MCP servers first. */
export const defaultTimeouts: Timeouts = { answerMs: 180_000, graceMs: 5000, exitMs: 2000 }
