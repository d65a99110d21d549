import type { ArtifactList } from '../catalog/catalog.ts'

/** The differences between the four artifact lists of a session. */
export type ListRules = {
  list: ArtifactList
  /** The name of the list in a sentence. */
  words: string
  message: string
  /** Whether a change can add servers that need a person's authorization. */
  bringsServers: boolean
}

export const listRules: readonly ListRules[] = [
  {
    list: 'mcp_servers',
    words: 'MCP servers',
    message: 'MCP servers updated',
    bringsServers: true,
  },
  {
    list: 'catalog_skills',
    words: 'catalog skills',
    message: 'Catalog skills updated',
    bringsServers: false,
  },
  {
    list: 'catalog_hooks',
    words: 'catalog hooks',
    message: 'Catalog hooks updated',
    bringsServers: false,
  },
  {
    list: 'catalog_plugins',
    words: 'catalog plugins',
    message: 'Catalog plugins updated',
    bringsServers: true,
  },
]
