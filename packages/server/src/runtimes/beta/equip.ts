import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { type Access, secretNames } from './config-toml.ts'
import { hooksLeftOut, installHooks } from './hooks.ts'
import { mcpLeftOut } from './mcp-servers.ts'
import { prepareHome } from './prepare-home.ts'
import { copyInstructions } from './repository-instructions.ts'
import { installSkills } from './skills.ts'

/** Writes everything to the agent's home and nothing to the clone. */
export async function equip(access: Access, conversation: Conversation, equipment: Equipment): Promise<string[]> {
  await prepareHome(access, { conversation, equipment })
  const [skillsLeftOut] = await Promise.all([
    installSkills(conversation, equipment.skills),
    installHooks(conversation, equipment.hooks, secretNames(access.environment)),
    copyInstructions(conversation, equipment),
  ])
  return [...mcpLeftOut(equipment.mcpServers), ...skillsLeftOut, ...hooksLeftOut(equipment.hooks)]
}
