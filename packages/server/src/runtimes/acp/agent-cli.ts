import type { AgentCli } from '../runtime.ts'
import { type AcpAgent, keyNamesOf } from './agent.ts'

/** Describes an agent of the runtimes file to the operator. The protocol has no way to ask for a version or a sign-in. */
export function acpCli(agent: AcpAgent): AgentCli {
  const { name, command, setEnvironment, environment = process.env } = agent
  const keys = keyNamesOf(agent)
  return {
    title: `${name} (Agent Client Protocol)`,
    command,
    hasVersion: false,
    installInstructions: `Install the program ${command}, or correct the row of ${name} in the runtimes file.`,
    authInstructions:
      keys.length > 0
        ? `Set ${keys.join(' or ')} and start again.`
        : `Name the variable of its key in "environment" of the row of ${name} in the runtimes file, or sign it in by hand.`,
    authMethod: 'env_var',
    envVarName: keys[0] ?? null,
    isAuthenticated: async () => keys.length === 0 || keys.some((key) => setEnvironment[key] || environment[key]),
  }
}
