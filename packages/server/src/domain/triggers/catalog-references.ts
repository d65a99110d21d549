import type { App } from '../app.ts'
import type { ArtifactList } from '../catalog/catalog.ts'
import type { TriggerRow } from './trigger-table.ts'

export const artifactLists = [
  'mcp_servers',
  'catalog_skills',
  'catalog_hooks',
  'catalog_plugins',
] as const satisfies readonly ArtifactList[]

export function isRootMissing(app: App, { agent_root_name: name }: Pick<TriggerRow, 'agent_root_name'>): boolean {
  return app.catalog.current().roots.find(name) === undefined
}
