import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Skill } from '../equipment.ts'
import type { TurnOrder } from '../runtime.ts'
import { skillFolder } from './equip.ts'

export type Instructions = {
  text: string
  /** Of the text. The agent gets the text again only if it has changed. */
  digest: string
}

/** The session's instructions, with the list of skills: the protocol has no skills. */
export function instructionsFor({ equipment, conversation }: TurnOrder): Instructions {
  const skills = equipment.skills.map((skill) => skillLine(conversation.home, skill))
  const text = [equipment.instructions.trim(), skills.length === 0 ? '' : [skillsIntroduction, ...skills].join('\n')]
    .filter(Boolean)
    .join('\n\n')
  return { text, digest: createHash('sha256').update(text).digest('hex') }
}

const skillsIntroduction =
  'You have these skills. Each is a folder; read its SKILL.md before you do anything it may apply to.'

function skillLine(home: string, skill: Skill): string {
  return `- ${skill.id}: ${join(skillFolder(home, skill), 'SKILL.md')}`
}
