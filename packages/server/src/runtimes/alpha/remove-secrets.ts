import { removeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { sessionPaths } from './session-paths.ts'

/** Removes what holds secrets: the configuration of MCP servers, the scripts of hooks, the provider's key, the login. */
export async function removeSecrets(home: string): Promise<void> {
  const { mcpServers, hooks, providerKey, login } = sessionPaths({ home })
  for (const path of [mcpServers, hooks, providerKey, login]) await removeUntrusted(path, { within: home })
}
