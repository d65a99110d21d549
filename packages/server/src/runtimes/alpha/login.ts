import { dirname } from 'node:path'
import { removeUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { shellQuote } from '../../platform/process/shell-quote.ts'
import type { Conversation } from '../runtime.ts'
import type { AlphaOptions } from './config.ts'
import { sessionPaths } from './session-paths.ts'

/** The variables and settings with which the CLI signs in to its provider. */
export type ProviderAccess = { environment: Record<string, string>; settings: Record<string, unknown> }

/**
 * Every command the agent runs inherits the environment, and the first `env` would print a key into the transcript. So the CLI
 * gets a command that prints the key instead. That is no protection against the agent: its commands run as the same user and
 * can read the file. The CLI itself hides CLAUDE_CODE_OAUTH_TOKEN from its children; keys of other providers (AWS_...) stay in
 * the environment. The CLI's own switch, CLAUDE_CODE_SUBPROCESS_ENV_SCRUB, also forbids bypassing permissions, which an
 * unattended turn needs.
 */
export async function providerAccess(
  conversation: Conversation,
  { environment, credentialsFile }: Pick<AlphaOptions, 'environment' | 'credentialsFile'>,
): Promise<ProviderAccess> {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: token, ...rest } = environment
  const login = credentialsFile !== undefined && { CLAUDE_SECURESTORAGE_CONFIG_DIR: dirname(credentialsFile) }
  return {
    environment: { ...login, ...rest },
    settings: {
      // The CLI sends the command's output both as a key and as a token.
      ...(await keyCommand(conversation, apiKey || token)),
    },
  }
}

async function keyCommand(conversation: Conversation, key: string | undefined): Promise<{ apiKeyHelper?: string }> {
  const path = sessionPaths(conversation).providerKey
  const within = conversation.home
  if (!key) {
    await removeUntrusted(path, { within })
    return {}
  }
  await writeUntrusted(path, `${key}\n`, { within })
  return { apiKeyHelper: `cat ${shellQuote(path)}` }
}
