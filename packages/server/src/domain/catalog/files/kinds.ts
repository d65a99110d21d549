import type { z } from 'zod'
import { GoalEntry, HookEntry, McpEntry, PluginEntry, ReferenceEntry, RootEntry, SkillEntry } from './entries.ts'

/** The kinds of entries, by the key in `air.json`: the schema of an entry and its noun in messages. */
export const kinds = {
  roots: { entry: RootEntry, word: 'root' },
  mcp: { entry: McpEntry, word: 'MCP server' },
  skills: { entry: SkillEntry, word: 'skill' },
  hooks: { entry: HookEntry, word: 'hook' },
  plugins: { entry: PluginEntry, word: 'plugin' },
  references: { entry: ReferenceEntry, word: 'reference' },
  goals: { entry: GoalEntry, word: 'goal' },
} as const

export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds) as Kind[] // a record's keys are its type's
export type EntryOf<K extends Kind> = z.output<(typeof kinds)[K]['entry']>
