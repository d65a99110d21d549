import { oneOf, path, text, url } from '../../platform/variable-rules.ts'
import type { DriverContext } from '../driver.ts'
import { givenValues } from '../given-values.ts'
import type { RuntimeModel } from '../runtime.ts'

export const variables = {
  RUNTIME_BETA_COMMAND: text().optional(),
  RUNTIME_BETA_LOGIN: path().optional(),
  RUNTIME_BETA_ISSUER: url(['http:', 'https:']).optional(),
  RUNTIME_BETA_MODE: oneOf(['app-server', 'exec']).default('app-server'),
  OPENAI_API_KEY: text().optional(),
  OPENAI_BASE_URL: url(['http:', 'https:']).optional(),
  CODEX_API_KEY: text().optional(),
}

/** Either signs the CLI in. */
export const secrets = ['OPENAI_API_KEY', 'CODEX_API_KEY'] as const

export type BetaConfig = DriverContext<typeof variables>['config']

export type BetaOptions = {
  /** The codex program. For npm's launcher the driver runs the program that the launcher starts. */
  command: string
  models: readonly RuntimeModel[]
  /** For the agent and not for its tools: OPENAI_API_KEY or CODEX_API_KEY. */
  environment?: Readonly<Record<string, string>>
  /** A server that speaks OpenAI's Responses API, with its `/v1`; default is the vendor's. */
  baseUrl?: string
  /** The `auth.json` of a login on this host, used without a key. */
  authFile?: string
  /** `exec` is the simpler protocol. It survives a crash of ours, but reports errors as text and names a thread after its prompt. */
  mode?: 'app-server' | 'exec'
  /** How long calls to the model may fail before the driver gives the turn up. */
  outageMs?: number
  /** How long codex may be silent after a failed call before the driver gives the turn up. */
  pauseMs?: number
  /** The delay before each retry after the provider answers that it has too many requests. */
  retryDelaysMs?: readonly number[]
}

export function betaOptions(
  config: BetaConfig,
  { command, models }: Pick<BetaOptions, 'command' | 'models'>,
): BetaOptions {
  return {
    command,
    models,
    mode: config.RUNTIME_BETA_MODE,
    environment: givenValues(config, secrets),
    ...(config.OPENAI_BASE_URL !== undefined && { baseUrl: config.OPENAI_BASE_URL }),
    ...(config.RUNTIME_BETA_LOGIN !== undefined && { authFile: config.RUNTIME_BETA_LOGIN }),
  }
}
