import type { launch } from '../../platform/process/launch.ts'
import type { TurnOrder } from '../runtime.ts'
import type { Access } from './config-toml.ts'
import type { OutageLimits } from './outage.ts'

/** What running a turn needs from the installation. */
export type Codex = OutageLimits & {
  access(order: TurnOrder): Access
  /** The delay before each retry after status 429. After the last retry the turn fails. */
  retryDelaysMs: readonly number[]
  /** Prepares CODEX_HOME and returns the program of a turn. */
  program(order: TurnOrder, args: readonly string[]): Promise<Program>
}

type Program = Pick<Parameters<typeof launch>[0], 'command' | 'args' | 'cwd' | 'env'>
