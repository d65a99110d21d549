import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writePrivateFile } from '../../platform/files/private-file.ts'
import { shellQuote } from '../../platform/process/shell-quote.ts'
import type { Conversation } from '../runtime.ts'
import type { AlphaOptions } from './config.ts'
import { placesOf } from './session-paths.ts'

/** The variables and the settings by which the CLI reaches its provider. */
export type ProviderAccess = { environment: Record<string, string>; settings: Record<string, unknown> }

/**
 * A key in the environment is inherited by every command the agent runs, and ends up in its transcript with the first
 * `env`. So the CLI is given a command that prints it instead. It is no lock: what the agent runs is the same user and
 * can read the file. CLAUDE_CODE_OAUTH_TOKEN the CLI keeps from its children by itself; keys of other providers (AWS_...)
 * stay in the environment. Its own switch for keeping keys back, CLAUDE_CODE_SUBPROCESS_ENV_SCRUB, also forbids bypassing
 * permissions, which a turn without a person needs.
 */
export async function accessProvider(
  conversation: Conversation,
  { environment, credentialsFile }: Pick<AlphaOptions, 'environment' | 'credentialsFile'>,
): Promise<ProviderAccess> {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: token, ...rest } = environment
  const login = credentialsFile !== undefined && { CLAUDE_SECURESTORAGE_CONFIG_DIR: dirname(credentialsFile) }
  const { ANTHROPIC_BASE_URL: address = vendorAddress } = environment
  return {
    environment: { ...login, ...rest },
    settings: {
      // The settings in a repository may hold variables that win over ours, but not over these: with another address
      // they would have our key sent there.
      env: { ANTHROPIC_BASE_URL: address },
      // What the command prints is sent as a key and as a token.
      ...(await keyCommand(placesOf(conversation).providerKey, apiKey || token)),
    },
  }
}

const vendorAddress = 'https://api.anthropic.com'

async function keyCommand(path: string, key: string | undefined): Promise<{ apiKeyHelper?: string }> {
  if (!key) {
    await rm(path, { force: true })
    return {}
  }
  await writePrivateFile(path, `${key}\n`)
  return { apiKeyHelper: `cat ${shellQuote(path)}` }
}
