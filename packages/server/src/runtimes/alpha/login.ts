import { dirname, join } from 'node:path'
import { removeUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { shellQuote } from '../../platform/process/shell-quote.ts'
import type { ServedLogin } from '../accounts/vendor-accounts.ts'
import type { Conversation } from '../runtime.ts'
import { loginFile, loginFileName } from './accounts.ts'
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
  served?: ServedLogin,
): Promise<ProviderAccess> {
  if (served) return { environment: await serve(conversation, served, environment), settings: {} }
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

/**
 * The account that serves the turn, in a folder of the session's own. Keys of the host would override it. The file has no
 * refresh token: a second user of it would sign out all the others.
 */
async function serve(
  conversation: Conversation,
  login: ServedLogin,
  {
    ANTHROPIC_API_KEY: _,
    ANTHROPIC_AUTH_TOKEN: __,
    CLAUDE_CODE_OAUTH_TOKEN: ___,
    ...rest
  }: AlphaOptions['environment'],
): Promise<Record<string, string>> {
  const { login: folder } = sessionPaths(conversation)
  await keyCommand(conversation, undefined)
  await writeUntrusted(join(folder, loginFileName), loginFile(login), { within: conversation.home })
  return { ...rest, CLAUDE_SECURESTORAGE_CONFIG_DIR: folder }
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
