import { type DriverContext, defineDriver } from '../driver.ts'
import type { AcpAgent } from './agent.ts'
import { pinnedCli } from './cli.ts'
import { type RuntimeRow, readAgents, secretsOf, variables } from './config.ts'
import { agentsChoice } from './models.ts'

/** Agents that speak the Agent Client Protocol: one runtime per row of the operator's runtimes file. */
export const acpDriver = defineDriver({
  name: 'acp',
  variables,
  secrets: [],
  cli: pinnedCli,
  async open({ config, takenNames, environment }) {
    if (config.RUNTIMES_PATH === undefined) return { runtimes: [] }
    const rows = readAgents(config.RUNTIMES_PATH, takenNames)
    // Imported on use: the protocol's library is large.
    const { acpRuntime } = await import('./runtime.ts')
    return {
      runtimes: rows.map((row) => acpRuntime(agentOf(row, environment))),
      secrets: rows.flatMap((row) => secretsOf(row, environment)),
    }
  },
})

function agentOf(row: RuntimeRow, environment: DriverContext['environment']): AcpAgent {
  return {
    name: row.name,
    command: row.command,
    args: row.args,
    passEnvironment: row.environment,
    setEnvironment: row.set_environment,
    models: row.models ?? [agentsChoice],
    mode: row.mode,
    authMethod: row.auth_method,
    environment,
  }
}
