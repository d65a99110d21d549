import { writePrivateFile } from '../../platform/files/private-file.ts'
import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { prepareHome } from './codex-home.ts'
import { type Access, secretNames } from './config-toml.ts'
import { hooksFile, hooksJson, hooksLeftOut } from './hooks.ts'
import { mcpLeftOut } from './mcp-servers.ts'
import { installSkills } from './skills.ts'

/** Writes everything to the agent's home and nothing to the clone. */
export async function equip(access: Access, conversation: Conversation, equipment: Equipment): Promise<string[]> {
  await prepareHome(access, conversation, equipment)
  await writePrivateFile(hooksFile(conversation), hooksJson(equipment.hooks, secretNames(access.environment)))
  const skillsLeftOut = await installSkills(conversation, equipment.skills)
  return [...mcpLeftOut(equipment.mcpServers), ...skillsLeftOut, ...hooksLeftOut(equipment.hooks)]
}
