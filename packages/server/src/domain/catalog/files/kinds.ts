import type { z } from 'zod'
import { GoalEntry, HookEntry, McpEntry, PluginEntry, ReferenceEntry, RootEntry, SkillEntry } from './entries.ts'

/** What a catalog holds, by the key in `air.json`: the shape of an entry and the word for it in a sentence. */
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
