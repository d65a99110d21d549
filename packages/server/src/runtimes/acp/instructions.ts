import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Skill } from '../equipment.ts'
import type { TurnOrder } from '../runtime.ts'
import { skillFolder } from './equip.ts'

export type Instructions = {
  text: string
  /** Of the text: an agent is told again only when it has changed. */
  digest: string
}

/** What an agent is told beside its messages. Skills are among it, because the protocol does not know them. */
export function instructionsFor({ equipment, conversation }: TurnOrder): Instructions {
  const skills = equipment.skills.map((skill) => skillLine(conversation.home, skill))
  const text = [equipment.instructions.trim(), skills.length === 0 ? '' : [skillsOpening, ...skills].join('\n')]
    .filter(Boolean)
    .join('\n\n')
  return { text, digest: createHash('sha256').update(text).digest('hex') }
}

const skillsOpening =
  'You have these skills. Each is a folder; read its SKILL.md before you do anything that it may be about.'

function skillLine(home: string, skill: Skill): string {
  return `- ${skill.id}: ${join(skillFolder(home, skill), 'SKILL.md')}`
}
