import type { launch } from '../../platform/process/launch.ts'
import type { TurnOrder } from '../runtime.ts'
import type { Access } from './config-toml.ts'

/** What running a turn needs from the installation. */
export type Codex = {
  access: Access
  /** How long calls to the model may fail before the driver gives the turn up. */
  outageMs: number
  /** The delay before each retry after status 429. After the last retry the turn fails. */
  retryDelaysMs: readonly number[]
  /** Prepares CODEX_HOME and returns the program of a turn. */
  program(order: TurnOrder, args: readonly string[]): Promise<Program>
}

type Program = Pick<Parameters<typeof launch>[0], 'command' | 'args' | 'cwd' | 'env'>
