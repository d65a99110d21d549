import { access, cp, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readIfPresent, writePrivateFile } from '../../platform/files/private-file.ts'
import type { Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { listOf, parseFields, stringOf } from './fields.ts'
import { folderName } from './folder-name.ts'
import { isInRepository } from './repository-folders.ts'
import { placesOf } from './session-paths.ts'

/**
 * Skills are put where the CLI looks for the user's own. There they would win over those of the repository, so what the
 * repository has is left out here. A skill that the agent made itself is not in the manifest and stays.
 */
export async function equipSkills(conversation: Conversation, skills: readonly Skill[]): Promise<string[]> {
  const { skills: root, skillsManifest } = placesOf(conversation)
  const sentences: string[] = []
  const placed = new Set<string>()
  const before = await readManifest(skillsManifest)
  // Named before they are put there: whoever dies in between leaves nothing that nobody will remove.
  await writeManifest(skillsManifest, [...before, ...skills.map(({ id }) => folderName(id))])
  for (const skill of skills) {
    const name = folderName(skill.id)
    const problem = await problemWith(conversation, skill, placed)
    if (problem !== undefined) sentences.push(problem)
    else {
      sentences.push(...(await place(skill, join(root, name))))
      placed.add(name)
    }
  }
  for (const name of before) if (!placed.has(name)) await rm(join(root, name), { recursive: true, force: true })
  await writeManifest(skillsManifest, [...placed])
  return sentences
}

async function problemWith(
  { workingDirectory }: Conversation,
  { id, folder }: Skill,
  placed: ReadonlySet<string>,
): Promise<string | undefined> {
  const name = folderName(id)
  if (placed.has(name)) return `The skill ${id} is left out: another one has the name ${name}.`
  if (await isInRepository(workingDirectory, 'skills', name))
    return `The skill ${id} is left out: the repository has one of that name.`
  const isComplete = await access(join(folder, 'SKILL.md')).then(
    () => true,
    () => false,
  )
  return isComplete ? undefined : `The skill ${id} is left out: it has no SKILL.md.`
}

/** Copied, so that the catalog may change while an agent works. */
async function place(skill: Skill, target: string): Promise<string[]> {
  const sentences: string[] = []
  const draft = `${target}.partial`
  await rm(draft, { recursive: true, force: true })
  await cp(skill.folder, draft, { recursive: true, dereference: true })
  if (skill.references.length > 0) await mkdir(join(draft, 'references'), { recursive: true })
  for (const { name, path } of skill.references) {
    await cp(path, join(draft, 'references', basename(name)), { dereference: true }).catch(() => {
      sentences.push(`The document ${name} of the skill ${skill.id} cannot be read and is left out.`)
    })
  }
  await rm(target, { recursive: true, force: true })
  await rename(draft, target)
  return sentences
}

async function readManifest(path: string): Promise<string[]> {
  const text = await readIfPresent(path)
  const names = listOf(text === undefined ? undefined : parseFields(text)?.skills)
  return names.flatMap((name) => stringOf(name) ?? []).filter((name) => name === folderName(name))
}

async function writeManifest(path: string, names: readonly string[]): Promise<void> {
  await writePrivateFile(path, JSON.stringify({ skills: [...new Set(names)] }))
}
