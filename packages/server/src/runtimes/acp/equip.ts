import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { removeUntrusted, replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Equipment, Hook, Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { problemWithMatcher } from './hook-matcher.ts'
import { isSupported } from './turn-hooks.ts'

/**
 * Copies the skills to the session's home; the instructions name their paths. MCP servers go with each turn, and the driver runs
 * hooks from their own folders.
 */
export async function equip({ home }: Conversation, { skills, hooks }: Equipment, agent: string): Promise<string[]> {
  await removeUntrusted(skillsFolder(home), { within: home })
  for (const skill of skills) await copySkill(home, skill)
  return hooks.flatMap((hook) => {
    const problem = problemWith(hook, agent)
    return problem === undefined ? [] : [`The hook ${hook.id} is left out: ${problem}`]
  })
}

function problemWith({ event, matcher }: Hook, agent: string): string | undefined {
  if (!isSupported(event)) return `the protocol that drives ${agent} does not report ${event}.`
  const problem = problemWithMatcher(matcher)
  return problem === undefined ? undefined : `its matcher cannot be used (${problem}).`
}

async function copySkill(home: string, skill: Skill): Promise<void> {
  await replaceUntrusted(skillFolder(home, skill), { within: home }, async (draft) => {
    // Copies the targets of links: the agent may not be able to reach them.
    await cp(skill.folder, draft, { recursive: true, dereference: true })
    for (const { name, path } of skill.references) {
      await cp(path, join(draft, 'references', basename(name)), { recursive: true, dereference: true })
    }
  })
}

function skillsFolder(home: string): string {
  return join(home, 'skills')
}

/** Escapes the id, so that different ids have different folders. */
export function skillFolder(home: string, { id }: Skill): string {
  return join(
    skillsFolder(home),
    id.replaceAll(/[^\w-]/g, (character) => `%${character.codePointAt(0)?.toString(16)}`),
  )
}
