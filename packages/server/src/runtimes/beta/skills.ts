import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { codexHome, ifMissing } from './codex-home.ts'

/**
 * Lays down copies of the skills in the agent's own home, where no commit picks them up, and takes away what was there
 * before. Answers with a sentence for each that is left out: it gives way to one of the repository's, because codex would
 * show both, or it cannot be read.
 */
export async function layDownSkills(conversation: Conversation, skills: readonly Skill[]): Promise<string[]> {
  const folder = join(codexHome(conversation), 'skills')
  const theirs = await repositorySkills(conversation.workingDirectory)
  await clear(folder)
  const leftOut: string[] = []
  for (const skill of skills) {
    const why = theirs.has(skill.id) ? 'the repository has one of that name' : await layDown(skill, folder)
    if (why !== undefined) leftOut.push(`The skill ${skill.id} is left out: ${why}.`)
  }
  return leftOut
}

/** All but codex's own, which it keeps in a folder that begins with a dot. */
async function clear(folder: string): Promise<void> {
  for (const name of await names(folder)) {
    if (!name.startsWith('.')) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Answers with what is in the way. */
async function layDown({ id, folder, references }: Skill, skillsFolder: string): Promise<string | undefined> {
  const target = join(skillsFolder, basename(id))
  try {
    await mkdir(target, { recursive: true })
    // Links are followed: what they lead to may not be there for the agent.
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

/** By the names of their folders and by the names they give themselves. */
async function repositorySkills(workingDirectory: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (const place of ['.codex/skills', '.agents/skills']) {
    for (const name of await names(join(workingDirectory, place))) {
      const text = await readFile(join(workingDirectory, place, name, 'SKILL.md'), 'utf8').catch(() => undefined)
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
