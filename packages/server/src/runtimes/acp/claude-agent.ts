import { join } from 'node:path'
import { writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { pinnedVariables } from '../claude-code/variables.ts'
import type { Conversation } from '../runtime.ts'

/**
 * What `claude-agent-acp`, which contains Claude Code, has to be told to ignore the repository's MCP servers and its choice of
 * a provider, a proxy or telemetry. The protocol lets other agents ignore `_meta`. A file, because every user of the host can
 * read a command line, and a proxy's address may hold a password.
 */
export async function claudeOptions(
  { home }: Pick<Conversation, 'home'>,
  environment: Readonly<Record<string, string>>,
): Promise<{ claudeCode: unknown }> {
  const settings = join(home, 'claude-settings.json')
  await writeUntrusted(settings, JSON.stringify({ env: pinnedVariables(environment) }), { within: home })
  return { claudeCode: { options: { strictMcpConfig: true, settings } } }
}
