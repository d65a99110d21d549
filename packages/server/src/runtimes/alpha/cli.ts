import { describeCli, type PinnedCli } from '../cli.ts'
import type { AgentCli } from '../runtime.ts'
import type { AlphaConfig } from './config.ts'

/** Also tried: 2.1.325. */
export const pinnedCli: PinnedCli = {
  package: '@anthropic-ai/claude-code',
  version: '2.1.197',
  binary: '@anthropic-ai/claude-code-{platform}-{arch}/claude',
}

/** The command on the PATH of an operator who installed the CLI another way. */
export const usualCommand = 'claude'

export function alphaCli(driver: string, config: AlphaConfig, command: string): AgentCli {
  const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_OAUTH_TOKEN } = config
  return describeCli({
    title: "Claude Code's CLI",
    driver,
    command,
    keys: { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_OAUTH_TOKEN },
    login: { variable: 'RUNTIME_ALPHA_LOGIN', file: config.RUNTIME_ALPHA_LOGIN },
  })
}
