import { installedProgram } from '../cli.ts'
import { defineDriver } from '../driver.ts'
import { alphaAccounts } from './accounts.ts'
import { alphaCli, pinnedCli, usualCommand } from './cli.ts'
import { alphaOptions, secrets, variables } from './config.ts'
import { models } from './models.ts'
import { prices } from './prices.ts'
import { alphaRuntime, name } from './runtime.ts'

/** Claude Code. */
export const alphaDriver = defineDriver({
  name,
  variables,
  secrets,
  cli: pinnedCli,
  models,
  prices,
  async open({ config, models: offered, agentsFolder }) {
    const installed = await installedProgram(agentsFolder, pinnedCli)
    const command = config.RUNTIME_ALPHA_COMMAND ?? installed ?? usualCommand
    const runtime = alphaRuntime(alphaOptions(config, { command, models: offered }))
    return {
      runtimes: [{ ...runtime, cli: alphaCli(name, config, command), accounts: alphaAccounts(config, command) }],
    }
  },
})
