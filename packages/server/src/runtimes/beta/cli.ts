import { describeCli, type PinnedCli } from '../cli.ts'
import type { AgentCli } from '../runtime.ts'
import type { BetaConfig } from './config.ts'

export const pinnedCli: PinnedCli = {
  package: '@openai/codex',
  version: '0.166.0',
  binary: '@openai/codex-{platform}-{arch}/vendor/{target}/bin/codex',
}

/** The command on the PATH of an operator who installed the CLI another way. */
export const usualCommand = 'codex'

export function betaCli(driver: string, config: BetaConfig, command: string): AgentCli {
  const { OPENAI_API_KEY, CODEX_API_KEY } = config
  return describeCli({
    title: "Codex's CLI",
    driver,
    command,
    keys: { OPENAI_API_KEY, CODEX_API_KEY },
    login: { variable: 'RUNTIME_BETA_LOGIN', file: config.RUNTIME_BETA_LOGIN },
  })
}
