import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'

export default function CatalogPage(): ReactNode {
  const configs = useRead('configs.show', {})
  const servers = useRead('mcp_servers.list', {})
  const skills = useRead('skills.list', {})
  const roots = configs.data?.agent_roots ?? []
  return (
    <Page title="Catalog" note="What sessions can be made of">
      <ErrorNote error={configs.error ?? servers.error ?? skills.error} />
      <Panel title={`Roots ${roots.length}`}>
        {configs.isLoading && <Skeleton rows={3} />}
        {configs.data && roots.length === 0 && (
          <EmptyState icon="book-open" title="No roots">
            A root names a repository and the defaults of its sessions. Roots are files of the catalog.
          </EmptyState>
        )}
        <Entries of={roots.map(({ name, description }) => ({ name, description }))} />
      </Panel>
      <Panel title={`MCP servers ${servers.data?.mcp_servers.length ?? ''}`}>
        {servers.isLoading && <Skeleton rows={3} />}
        <Entries
          of={(servers.data?.mcp_servers ?? []).map(({ name, description, unavailable, unavailable_reason }) => ({
            name,
            description,
            ...(unavailable && { problem: unavailable_reason ?? 'unavailable' }),
          }))}
        />
      </Panel>
      <Panel title={`Skills ${skills.data?.skills.length ?? ''}`}>
        {skills.isLoading && <Skeleton rows={3} />}
        <Entries of={(skills.data?.skills ?? []).map(({ name, description }) => ({ name, description }))} />
      </Panel>
    </Page>
  )
}

type Entry = { name: string; description: string | null | undefined; problem?: string }

function Entries({ of }: { of: readonly Entry[] }): ReactNode {
  return (
    <ul>
      {of.map(({ name, description, problem }) => (
        <li key={name} className="flex min-h-9 items-center gap-3 border-line border-b px-3 py-1 last:border-b-0">
          <span className="w-48 shrink-0 truncate font-medium">{name}</span>
          <span className="min-w-0 grow text-muted">{description}</span>
          {problem && <Badge tone="needs">{problem}</Badge>}
        </li>
      ))}
    </ul>
  )
}
