import type { launch } from '../../platform/process/launch.ts'
import type { TurnOrder } from '../runtime.ts'
import type { Access } from './config-toml.ts'

/** What whoever runs a turn needs to know of the installation. */
export type Codex = {
  access: Access
  /** How long calls to the model may fail before the turn is given up. */
  outageMs: number
  /** How long to wait each time the provider has too many requests before the turn is given up. */
  retryDelaysMs: readonly number[]
  /** The program for a turn, with its home prepared. */
  program(order: TurnOrder, args: readonly string[]): Promise<Program>
}

type Program = Pick<Parameters<typeof launch>[0], 'command' | 'args' | 'cwd' | 'env'>
