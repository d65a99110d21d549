import { limits } from '@yardmaster/contract/limits'
import type { ArtifactList } from '../../catalog/catalog.ts'

/** The four lists of a session that can be changed, and how they differ. */
export type ListRules = {
  list: ArtifactList
  max: number
  /** In a sentence. */
  words: string
  message: string
  /** Whether a change can bring in servers that somebody has to sign in to. */
  bringsServers: boolean
}

export const listRules: readonly ListRules[] = [
  {
    list: 'mcp_servers',
    max: limits.mcpServers,
    words: 'MCP servers',
    message: 'MCP servers updated',
    bringsServers: true,
  },
  {
    list: 'catalog_skills',
    max: limits.catalogSkills,
    words: 'catalog skills',
    message: 'Catalog skills updated',
    bringsServers: false,
  },
  {
    list: 'catalog_hooks',
    max: limits.catalogHooks,
    words: 'catalog hooks',
    message: 'Catalog hooks updated',
    bringsServers: false,
  },
  {
    list: 'catalog_plugins',
    max: limits.catalogPlugins,
    words: 'catalog plugins',
    message: 'Catalog plugins updated',
    bringsServers: true,
  },
]
