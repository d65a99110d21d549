import { join } from 'node:path'
import { removeUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { foldersUpToRepository } from '../repository-folders.ts'
import type { TurnOrder } from '../runtime.ts'
import { codexHome } from './codex-home.ts'
import { type Access, type ConfigOrder, configToml } from './config-toml.ts'
import { hookScripts } from './hooks.ts'
import { placeLogin, putLoginAway } from './login.ts'

/** Writes the configuration and the login. Codex changes both files, so this happens before every start. */
export async function prepareHome(
  access: Access,
  { conversation, ...order }: Pick<TurnOrder, 'conversation'> & ConfigOrder,
): Promise<void> {
  const folder = codexHome(conversation)
  const folders = await foldersUpToRepository(conversation.workingDirectory)
  const text = configToml(access, folders, order)
  await writeUntrusted(join(folder, 'config.toml'), text, { within: conversation.home })
  await placeLogin(access, conversation)
}

/** Removes what holds secrets: the configuration of MCP servers, the scripts of hooks, the login. */
export async function removeSecrets(home: string): Promise<void> {
  const folder = codexHome({ home })
  await removeUntrusted(join(folder, 'config.toml'), { within: home })
  await removeUntrusted(hookScripts({ home }), { within: home })
  await putLoginAway({ home })
}
