import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ifUntrusted, readUntrusted } from '../../platform/files/untrusted-file.ts'
import type { Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { codexHome } from './codex-home.ts'
import { ifMissing } from './if-missing.ts'

/**
 * Replaces the skills in the agent's home, where no commit includes them. Returns a sentence for each skill that is left out:
 * because the repository has one of that name and codex would show both, or because it cannot be copied.
 */
export async function installSkills(conversation: Conversation, skills: readonly Skill[]): Promise<string[]> {
  const folder = join(codexHome(conversation), 'skills')
  const inRepository = await repositorySkills(conversation.workingDirectory)
  await clear(folder)
  const leftOut: string[] = []
  for (const skill of skills) {
    const reason = inRepository.has(skill.id) ? 'the repository has one of that name' : await install(skill, folder)
    if (reason !== undefined) leftOut.push(`The skill ${skill.id} is left out: ${reason}.`)
  }
  return leftOut
}

/** Keeps codex's built-in skills, whose folder begins with a dot. */
async function clear(folder: string): Promise<void> {
  for (const name of await names(folder)) {
    if (!name.startsWith('.')) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Returns why the skill cannot be installed, if it cannot. */
async function install({ id, folder, references }: Skill, skillsFolder: string): Promise<string | undefined> {
  const target = join(skillsFolder, basename(id))
  try {
    await mkdir(target, { recursive: true })
    // Copies the targets of links: the agent may not be able to reach them.
    await cp(folder, target, { recursive: true, dereference: true })
    for (const { name, path } of references) {
      await cp(path, join(target, 'references', basename(name)), { dereference: true })
    }
    return undefined
  } catch (error) {
    await rm(target, { recursive: true, force: true })
    return `it cannot be copied (${error instanceof Error ? error.message : String(error)})`
  }
}

/** The names of the folders and the names in the skills' headers. */
async function repositorySkills(workingDirectory: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (const place of ['.codex/skills', '.agents/skills']) {
    for (const name of await names(join(workingDirectory, place))) {
      const file = join(workingDirectory, place, name, 'SKILL.md')
      // Codex may use a skill that we refuse to read, so its name counts as taken.
      const text = await readUntrusted(file, { within: workingDirectory }).catch(ifUntrusted(''))
      if (text === undefined) continue
      found.add(name)
      const title = /^---\n(?:.*\n)*?name:[ \t]*["']?([^"'\n]+?)["']?[ \t]*\n/.exec(text.slice(0, 4096))?.[1]
      if (title !== undefined) found.add(title)
    }
  }
  return found
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ifMissing)) ?? []
}
