import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { prepareHome, writePrivately } from './codex-home.ts'
import { type Access, secretNames } from './config-toml.ts'
import { hooksFile, hooksJson, hooksLeftOut } from './hooks.ts'
import { mcpLeftOut } from './mcp-servers.ts'
import { layDownSkills } from './skills.ts'

/** Everything goes into the agent's own home and nothing into the clone. */
export async function equip(access: Access, conversation: Conversation, equipment: Equipment): Promise<string[]> {
  await prepareHome(access, conversation, equipment)
  await writePrivately(hooksFile(conversation), hooksJson(equipment.hooks, secretNames(access.environment)))
  const skillsLeftOut = await layDownSkills(conversation, equipment.skills)
  return [...mcpLeftOut(equipment.mcpServers), ...skillsLeftOut, ...hooksLeftOut(equipment.hooks)]
}
