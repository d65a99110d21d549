import { installedProgram } from '../cli.ts'
import { defineDriver } from '../driver.ts'
import { betaAccounts } from './accounts.ts'
import { betaCli, pinnedCli, usualCommand } from './cli.ts'
import { betaOptions, secrets, variables } from './config.ts'
import { models } from './models.ts'
import { betaRuntime, name } from './runtime.ts'

/** Codex. */
export const betaDriver = defineDriver({
  name,
  variables,
  secrets,
  cli: pinnedCli,
  models,
  async open({ config, models: offered, agentsFolder }) {
    const installed = await installedProgram(agentsFolder, pinnedCli)
    const command = config.RUNTIME_BETA_COMMAND ?? installed ?? usualCommand
    const runtime = betaRuntime(betaOptions(config, { command, models: offered }))
    return { runtimes: [{ ...runtime, cli: betaCli(name, config, command), accounts: betaAccounts(config, command) }] }
  },
})
