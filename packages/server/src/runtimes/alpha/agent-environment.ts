import { childEnvironment } from '../../platform/process/environment.ts'
import { toolLoading, unattended } from '../claude-code/variables.ts'
import type { TurnOrder } from '../runtime.ts'
import { sessionPaths } from './session-paths.ts'

/** The environment of the CLI, which every command it runs inherits. */
export function agentEnvironment(
  {
    conversation,
    equipment,
    compactWindow,
    hasAllToolsAtOnce,
    isMachineTheSandbox,
  }: Pick<TurnOrder, 'conversation' | 'equipment' | 'compactWindow' | 'hasAllToolsAtOnce' | 'isMachineTheSandbox'>,
  provider: Readonly<Record<string, string>>,
): Record<string, string> {
  const { config, temporary } = sessionPaths(conversation)
  return childEnvironment({
    set: {
      ...equipment.environment,
      ...unattended,
      ...toolLoading(hasAllToolsAtOnce),
      // As root the CLI bypasses permissions only in a declared sandbox.
      ...(isMachineTheSandbox && { IS_SANDBOX: '1' }),
      ...limits,
      // The CLI takes at least 100,000, and at most what the model has.
      ...(compactWindow !== undefined && { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(compactWindow) }),
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
}
