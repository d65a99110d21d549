import { join } from 'node:path'
import { ifUntrusted, readUntrusted } from '../../platform/files/untrusted-file.ts'
import { removeUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Equipment } from '../equipment.ts'
import { foldersUpToRepository } from '../repository-folders.ts'
import type { Conversation } from '../runtime.ts'
import { codexHome } from './codex-home.ts'

/**
 * Codex reads no AGENTS.md in a repository that it does not trust. It is text and runs nothing, so the agent gets it as the
 * instructions of its user.
 */
export async function copyInstructions(
  conversation: Conversation,
  { usesRepositoryConfiguration }: Equipment,
): Promise<void> {
  const bounds = { within: conversation.home }
  const file = join(codexHome(conversation), 'AGENTS.md')
  const text = usesRepositoryConfiguration ? '' : await readInstructions(conversation.workingDirectory)
  if (text === '') await removeUntrusted(file, bounds)
  else await writeUntrusted(file, text, bounds)
}

/** From the root of the repository down, in the order in which codex reads them. */
async function readInstructions(workingDirectory: string): Promise<string> {
  const folders = (await foldersUpToRepository(workingDirectory)).toReversed()
  const within = folders[0] ?? workingDirectory
  const texts: string[] = []
  for (const folder of folders) {
    for (const name of ['AGENTS.override.md', 'AGENTS.md']) {
      const text = await readUntrusted(join(folder, name), { within }).catch(ifUntrusted(undefined))
      if (text === undefined) continue
      texts.push(text)
      break
    }
  }
  return texts.join('\n\n').slice(0, maxCharacters)
}

/** Codex's own limit for such files. */
const maxCharacters = 32 * 1024
