import { path, text, url } from '../../platform/variable-rules.ts'
import type { DriverContext } from '../driver.ts'
import { givenValues } from '../given-values.ts'
import type { RuntimeModel } from '../runtime.ts'

export const variables = {
  RUNTIME_ALPHA_COMMAND: text().optional(),
  RUNTIME_ALPHA_LOGIN: path().optional(),
  RUNTIME_ALPHA_TOKEN_URL: url(['http:', 'https:']).optional(),
  ANTHROPIC_API_KEY: text().optional(),
  ANTHROPIC_AUTH_TOKEN: text().optional(),
  ANTHROPIC_BASE_URL: url(['http:', 'https:']).optional(),
  CLAUDE_CODE_OAUTH_TOKEN: text().optional(),
}

/** Each of them signs the CLI in. */
export const secrets = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const

export type AlphaConfig = DriverContext<typeof variables>['config']

export type AlphaOptions = {
  /** The CLI: a path, or a name on the PATH. */
  command: string
  /** The CLI's provider settings, such as ANTHROPIC_API_KEY. They override the variables that the driver sets. */
  environment: Readonly<Record<string, string>>
  /** The `.credentials.json` of a login on this host, used without a key. The CLI renews the login in place. */
  credentialsFile?: string
  models: readonly RuntimeModel[]
}

export function alphaOptions(
  config: AlphaConfig,
  { command, models }: Pick<AlphaOptions, 'command' | 'models'>,
): AlphaOptions {
  return {
    command,
    models,
    environment: givenValues(config, [...secrets, 'ANTHROPIC_BASE_URL']),
    ...(config.RUNTIME_ALPHA_LOGIN !== undefined && { credentialsFile: config.RUNTIME_ALPHA_LOGIN }),
  }
}
