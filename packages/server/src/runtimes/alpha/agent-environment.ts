import { childEnvironment } from '../../platform/process/environment.ts'
import type { TurnOrder } from '../runtime.ts'
import { sessionPaths } from './session-paths.ts'

/** The environment of the CLI, which every command it runs inherits. */
export function agentEnvironment(
  { conversation, equipment }: Pick<TurnOrder, 'conversation' | 'equipment'>,
  provider: Readonly<Record<string, string>>,
): Record<string, string> {
  const { config, temporary } = sessionPaths(conversation)
  return childEnvironment({
    set: {
      ...equipment.environment,
      ...noBackgroundWork,
      ...sandboxFlag,
      ...limits,
      ...provider,
      HOME: conversation.home,
      CLAUDE_CONFIG_DIR: config,
      CLAUDE_CODE_TMPDIR: temporary,
    },
  })
}

const limits = {
  /**
   * About three minutes of exponential backoff, which outlasts most overloads. A rejected key is retried too, in vain; the
   * driver ends such a turn at the second rejection.
   */
  CLAUDE_CODE_MAX_RETRIES: '10',
  /**
   * By default the CLI starts after five seconds with the MCP servers that are up by then, and the agent reports the tools of
   * the others as missing. Every turn starts the servers again, some through a package manager.
   */
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: '60000',
  MCP_TIMEOUT: '60000',
}

/** The CLI calls only the model and does not update itself. Its cron needs a process that outlives the turn. */
const noBackgroundWork = {
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_BUG_COMMAND: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
}

/** As root the CLI bypasses permissions only in a declared sandbox. */
const sandboxFlag: Record<string, string> = process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}
