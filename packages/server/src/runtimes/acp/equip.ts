import { cp, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Equipment, Hook, Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { problemWithMatcher } from './hook-matcher.ts'
import { isSeen } from './turn-hooks.ts'

/**
 * Skills are put into the session's home; the instructions say where. MCP servers are handed over with each turn, and hooks
 * are run by us, from where they lie.
 */
export async function equip({ home }: Conversation, { skills, hooks }: Equipment, agent: string): Promise<string[]> {
  await rm(skillsFolder(home), { recursive: true, force: true })
  for (const skill of skills) await putSkill(home, skill)
  return hooks.flatMap((hook) => {
    const problem = problemWith(hook, agent)
    return problem === undefined ? [] : [`The hook ${hook.id} is left out: ${problem}`]
  })
}

function problemWith({ event, matcher }: Hook, agent: string): string | undefined {
  if (!isSeen(event)) return `${agent} is driven by a protocol that does not tell of ${event}.`
  const problem = problemWithMatcher(matcher)
  return problem === undefined ? undefined : `its matcher cannot be used (${problem}).`
}

async function putSkill(home: string, skill: Skill): Promise<void> {
  const folder = skillFolder(home, skill)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // What a link leads to, and not the link: it may lead to where the agent cannot look.
  await cp(skill.folder, folder, { recursive: true, dereference: true })
  for (const { name, path } of skill.references) {
    await cp(path, join(folder, 'references', basename(name)), { recursive: true, dereference: true })
  }
}

function skillsFolder(home: string): string {
  return join(home, 'skills')
}

/** Each id a folder name of its own, whatever is in it. */
export function skillFolder(home: string, { id }: Skill): string {
  return join(
    skillsFolder(home),
    id.replaceAll(/[^\w-]/g, (character) => `%${character.codePointAt(0)?.toString(16)}`),
  )
}
