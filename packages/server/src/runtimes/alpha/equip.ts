import { ensureUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { equipHooks } from './equip-hooks.ts'
import { equipMcpServers } from './equip-mcp-servers.ts'
import { equipSkills } from './equip-skills.ts'
import { linkRepositoryText } from './repository-text.ts'
import { sessionPaths } from './session-paths.ts'

/** Replaces every part as a whole: repeating it changes nothing, and deselected equipment disappears. */
export async function equip(conversation: Conversation, equipment: Equipment): Promise<string[]> {
  // The parts are written side by side. First come the folders that they share: those belong to the agent's user, and so does
  // what is made in them.
  const { config, ours } = sessionPaths(conversation)
  for (const folder of [config, ours]) await ensureUntrusted(folder, { within: conversation.home })
  const [, ...sentences] = await Promise.all([
    linkRepositoryText(conversation, equipment),
    equipMcpServers(conversation, equipment.mcpServers),
    equipSkills(conversation, equipment.skills),
    equipHooks(conversation, equipment.hooks),
  ])
  return sentences.flat()
}
