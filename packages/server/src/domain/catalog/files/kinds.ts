import type { z } from 'zod'
import { GoalEntry, HookEntry, McpEntry, PluginEntry, ReferenceEntry, RootEntry, SkillEntry } from './entries.ts'

/** The kinds of entries, by the key in `air.json`: the schema of an entry and its noun in messages. */
export const kinds = {
  roots: { entry: RootEntry, noun: 'a root' },
  mcp: { entry: McpEntry, noun: 'an MCP server' },
  skills: { entry: SkillEntry, noun: 'a skill' },
  hooks: { entry: HookEntry, noun: 'a hook' },
  plugins: { entry: PluginEntry, noun: 'a plugin' },
  references: { entry: ReferenceEntry, noun: 'a reference' },
  goals: { entry: GoalEntry, noun: 'a goal' },
} as const

export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds) as Kind[] // a record's keys are its type's
export type EntryOf<K extends Kind> = z.output<(typeof kinds)[K]['entry']>
