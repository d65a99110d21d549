import { childEnvironment } from '../../platform/process/environment.ts'
import type { TurnOrder } from '../runtime.ts'
import { placesOf } from './session-paths.ts'

/** Everything the CLI gets to see, and with it every command it runs. */
export function agentEnvironment(
  { conversation, equipment }: Pick<TurnOrder, 'conversation' | 'equipment'>,
  provider: Readonly<Record<string, string>>,
): Record<string, string> {
  const { config, temporary } = placesOf(conversation)
  return childEnvironment({
    set: {
      ...equipment.environment,
      ...quiet,
      ...whereAllowed,
      ...patient,
      ...provider,
      HOME: conversation.home,
      CLAUDE_CONFIG_DIR: config,
      CLAUDE_CODE_TMPDIR: temporary,
    },
  })
}

const patient = {
  /**
   * About three minutes, by doubling pauses: most overloads are over by then. A key that is refused would take as long,
   * and no retry will mend it; the driver ends that turn at the second refusal by itself.
   */
  CLAUDE_CODE_MAX_RETRIES: '10',
  /**
   * The CLI would begin after five seconds with whatever MCP servers it has by then, and an agent that cannot see its
   * tools says that it has none. Every turn starts them anew, some by way of a package manager.
   */
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: '60000',
  MCP_TIMEOUT: '60000',
}

/** Nothing but the model is called, and nothing changes between two turns. A wake-up would find its process gone. */
const quiet = {
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_BUG_COMMAND: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
}

/** As root the CLI bypasses permissions only when it is told that it is fenced in. */
const whereAllowed: Record<string, string> = process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}
