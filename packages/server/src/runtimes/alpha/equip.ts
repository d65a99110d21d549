import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { equipHooks } from './equip-hooks.ts'
import { equipMcpServers } from './equip-mcp-servers.ts'
import { equipSkills } from './equip-skills.ts'

/** Each part is put in place anew, so that a second time changes nothing and what was deselected is gone. */
export async function equip(conversation: Conversation, equipment: Equipment): Promise<string[]> {
  return [
    ...(await equipMcpServers(conversation, equipment.mcpServers)),
    ...(await equipSkills(conversation, equipment.skills)),
    ...(await equipHooks(conversation, equipment.hooks)),
  ]
}
