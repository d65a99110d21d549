import { cp, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Equipment, Skill } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { isSeen } from './turn-hooks.ts'

/**
 * Skills are put into the session's home; the instructions say where. MCP servers are handed over with each turn, and hooks
 * are run by us, from where they lie.
 */
export async function equip({ home }: Conversation, { skills, hooks }: Equipment, agent: string): Promise<string[]> {
  await rm(skillsFolder(home), { recursive: true, force: true })
  for (const skill of skills) await putSkill(home, skill)
  return hooks
    .filter(({ event }) => !isSeen(event))
    .map(
      ({ id, event }) => `The hook ${id} is left out: ${agent} is driven by a protocol that does not tell of ${event}.`,
    )
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
