import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ifUntrusted } from '../../platform/files/untrusted-file.ts'
import { listUntrusted, removeUntrusted, replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Equipment } from '../equipment.ts'
import { foldersUpToRepository } from '../repository-folders.ts'
import type { Conversation } from '../runtime.ts'
import { sessionPaths } from './session-paths.ts'

/**
 * The repository's settings run programs before the agent decides anything: hooks, key helpers, variables such as
 * BASH_ENV. So the CLI reads only the user's settings, unless the catalog says otherwise. That also hides what is text and
 * runs nothing by itself, which the driver gives back: CLAUDE.md by flag and variable, and skills, agents and commands by
 * links among the user's.
 */
type Choice = Pick<Equipment, 'usesRepositoryConfiguration'>

export async function repositoryFlags(
  { workingDirectory }: Conversation,
  { usesRepositoryConfiguration }: Choice,
): Promise<string[]> {
  if (usesRepositoryConfiguration) return []
  const folders = await foldersUpToRepository(workingDirectory)
  return ['--setting-sources', 'user', ...folders.map((folder) => `--add-dir=${folder}`)]
}

export function repositoryVariables({ usesRepositoryConfiguration }: Choice): Record<string, string> {
  return usesRepositoryConfiguration ? {} : { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' }
}

const kinds = ['skills', 'agents', 'commands'] as const

/** Replaces the links of the last turn. Files that the agent wrote among the user's stay. */
export async function linkRepositoryText(conversation: Conversation, choice: Choice): Promise<void> {
  const within = conversation.home
  for (const kind of kinds) {
    const folder = join(sessionPaths(conversation).config, kind)
    const present = await listUntrusted(folder, { within })
    for (const { name, isLink } of present) if (isLink) await removeUntrusted(join(folder, name), { within })
    if (choice.usesRepositoryConfiguration) continue
    const taken = new Set(present.flatMap(({ name, isLink }) => (isLink ? [] : [name])))
    for (const [name, target] of await entriesIn(conversation.workingDirectory, kind)) {
      if (taken.has(name)) continue
      await replaceUntrusted(join(folder, name), { within }, (draft) => symlink(target, draft))
    }
  }
}

/** By name; the folder nearest to the working directory takes precedence. */
async function entriesIn(workingDirectory: string, kind: (typeof kinds)[number]): Promise<Map<string, string>> {
  const entries = new Map<string, string>()
  const folders = await foldersUpToRepository(workingDirectory)
  const within = folders.at(-1) ?? workingDirectory
  for (const folder of folders) {
    const place = join(folder, '.claude', kind)
    for (const { name } of await listUntrusted(place, { within }).catch(ifUntrusted([]))) {
      if (!entries.has(name) && entries.size < maxEntries) entries.set(name, join(place, name))
    }
  }
  return entries
}

const maxEntries = 1000
