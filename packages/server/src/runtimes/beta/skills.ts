import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ifUntrusted, readUntrusted } from '../../platform/files/untrusted-file.ts'
import { listUntrusted, removeUntrusted, replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { codexHome } from './codex-home.ts'

/**
 * Replaces the skills in the agent's home, where no commit includes them. Returns a sentence for each skill that is left out:
 * because the repository has one of that name and codex would show both, or because it cannot be copied.
 */
export async function installSkills(conversation: Conversation, skills: readonly Skill[]): Promise<string[]> {
  const folder = join(codexHome(conversation), 'skills')
  const inRepository = await repositorySkills(conversation.workingDirectory)
  await clear(folder, conversation)
  const leftOut: string[] = []
  for (const skill of skills) {
    const reason = inRepository.has(skill.id)
      ? 'the repository has one of that name'
      : await install(skill, folder, conversation)
    if (reason !== undefined) leftOut.push(`The skill ${skill.id} is left out: ${reason}.`)
  }
  return leftOut
}

/** Keeps codex's built-in skills, whose folder begins with a dot. */
async function clear(folder: string, { home: within }: Conversation): Promise<void> {
  for (const { name } of await listUntrusted(folder, { within })) {
    if (!name.startsWith('.')) await removeUntrusted(join(folder, name), { within })
  }
}

/** Returns why the skill cannot be installed, if it cannot. */
async function install(
  { id, folder, references }: Skill,
  skillsFolder: string,
  { home: within }: Conversation,
): Promise<string | undefined> {
  const target = join(skillsFolder, basename(id))
  try {
    await replaceUntrusted(target, { within }, async (draft) => {
      // Copies the targets of links: the agent may not be able to reach them.
      await cp(folder, draft, { recursive: true, dereference: true })
      for (const { name, path } of references) {
        await cp(path, join(draft, 'references', basename(name)), { dereference: true })
      }
    })
    return undefined
  } catch (error) {
    await removeUntrusted(target, { within })
    return `it cannot be copied (${error instanceof Error ? error.message : String(error)})`
  }
}

/** The names of the folders and the names in the skills' headers. */
async function repositorySkills(workingDirectory: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (const place of ['.codex/skills', '.agents/skills']) {
    const bounds = { within: workingDirectory }
    for (const { name } of await listUntrusted(join(workingDirectory, place), bounds).catch(ifUntrusted([]))) {
      const file = join(workingDirectory, place, name, 'SKILL.md')
      // Codex may use a skill that we refuse to read, so its name counts as taken.
      const text = await readUntrusted(file, bounds).catch(ifUntrusted(''))
      if (text === undefined) continue
      found.add(name)
      const title = /^---\n(?:.*\n)*?name:[ \t]*["']?([^"'\n]+?)["']?[ \t]*\n/.exec(text.slice(0, 4096))?.[1]
      if (title !== undefined) found.add(title)
    }
  }
  return found
}
