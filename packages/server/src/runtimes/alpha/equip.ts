import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { equipHooks } from './equip-hooks.ts'
import { equipMcpServers } from './equip-mcp-servers.ts'
import { equipSkills } from './equip-skills.ts'
import { linkRepositoryText } from './repository-text.ts'

/** Replaces every part as a whole: repeating it changes nothing, and deselected equipment disappears. */
export async function equip(conversation: Conversation, equipment: Equipment): Promise<string[]> {
  await linkRepositoryText(conversation, equipment)
  return [
    ...(await equipMcpServers(conversation, equipment.mcpServers)),
    ...(await equipSkills(conversation, equipment.skills)),
    ...(await equipHooks(conversation, equipment.hooks)),
  ]
}
