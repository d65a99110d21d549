import { access, cp, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readUntrusted } from '../../platform/files/untrusted-file.ts'
import { removeUntrusted, replaceUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { listOf, parseFields, stringOf } from './fields.ts'
import { folderName } from './folder-name.ts'
import { isInRepository } from './repository-folders.ts'
import { sessionPaths } from './session-paths.ts'

/**
 * Installs the skills where the CLI looks for the user's. There they would override the repository's, so a skill that the
 * repository has too is left out. A skill that the agent wrote is not in the manifest and stays.
 */
export async function equipSkills(conversation: Conversation, skills: readonly Skill[]): Promise<string[]> {
  const { skills: root } = sessionPaths(conversation)
  const within = conversation.home
  const sentences: string[] = []
  const installed = new Set<string>()
  const before = await readManifest(conversation)
  // The manifest comes first: after a crash the next run removes every skill that was installed.
  await writeManifest(conversation, [...before, ...skills.map(({ id }) => folderName(id))])
  for (const skill of skills) {
    const name = folderName(skill.id)
    const problem = await problemWith(conversation, skill, installed)
    if (problem !== undefined) sentences.push(problem)
    else {
      sentences.push(...(await install(skill, join(root, name), within)))
      installed.add(name)
    }
  }
  for (const name of before) if (!installed.has(name)) await removeUntrusted(join(root, name), { within })
  await writeManifest(conversation, [...installed])
  return sentences
}

async function problemWith(
  { workingDirectory }: Conversation,
  { id, folder }: Skill,
  installed: ReadonlySet<string>,
): Promise<string | undefined> {
  const name = folderName(id)
  if (installed.has(name)) return `The skill ${id} is left out: another one has the name ${name}.`
  if (await isInRepository(workingDirectory, 'skills', name))
    return `The skill ${id} is left out: the repository has one of that name.`
  const isComplete = await access(join(folder, 'SKILL.md')).then(
    () => true,
    () => false,
  )
  return isComplete ? undefined : `The skill ${id} is left out: it has no SKILL.md.`
}

/** Copies the skill, so that the catalog may change while the agent works. */
async function install(skill: Skill, target: string, within: string): Promise<string[]> {
  const sentences: string[] = []
  await replaceUntrusted(target, { within }, async (draft) => {
    await cp(skill.folder, draft, { recursive: true, dereference: true })
    if (skill.references.length > 0) await mkdir(join(draft, 'references'), { recursive: true })
    for (const { name, path } of skill.references) {
      await cp(path, join(draft, 'references', basename(name)), { dereference: true }).catch(() => {
        sentences.push(`The document ${name} of the skill ${skill.id} cannot be read and is left out.`)
      })
    }
  })
  return sentences
}

async function readManifest(conversation: Conversation): Promise<string[]> {
  const text = await readUntrusted(sessionPaths(conversation).skillsManifest, { within: conversation.home })
  const names = listOf(text === undefined ? undefined : parseFields(text)?.skills)
  return names.flatMap((name) => stringOf(name) ?? []).filter((name) => name === folderName(name))
}

async function writeManifest(conversation: Conversation, names: readonly string[]): Promise<void> {
  const text = JSON.stringify({ skills: [...new Set(names)] })
  await writeUntrusted(sessionPaths(conversation).skillsManifest, text, { within: conversation.home })
}
