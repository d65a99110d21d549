import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { Time } from '../../shared/kit/time.tsx'

type Item = Result<'work_backlog_items.list'>['work_backlog_items'][number]

const columns: readonly Column<Item>[] = [
  { name: 'position', label: '#', isNumber: true, className: 'w-10', cell: ({ position }) => position },
  {
    name: 'title',
    label: 'Work',
    cell: ({ title, pinned }) => (
      <span className="flex items-center gap-2">
        <span className="truncate font-medium">{title}</span>
        {pinned && <Badge tone="accent">pinned</Badge>}
      </span>
    ),
  },
  { name: 'repo', label: 'Repository', isMinor: true, cell: ({ repo }) => repo },
  { name: 'cost', label: 'Cost', cell: ({ estimated_cost }) => <Badge>{estimated_cost}</Badge> },
  { name: 'added', label: 'Added', isNumber: true, isMinor: true, cell: ({ added_at }) => <Time at={added_at} /> },
  { name: 'actions', label: '', isNumber: true, className: 'w-10', cell: (item) => <ItemMenu item={item} /> },
]

export default function BacklogPage(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('work_backlog_items.list', { per_page: 100 })
  const items = data?.work_backlog_items ?? []
  return (
    <Page title="Backlog" note={data && `${data.counts.queued} queued, ${data.counts.in_flight} in flight`}>
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        {isLoading && <Skeleton />}
        {data && items.length === 0 && (
          <EmptyState icon="flag" title="The backlog is empty">
            Work that waits for a free agent is queued here, by people, agents and gates.
          </EmptyState>
        )}
        {items.length > 0 && <Table caption="Queued work" columns={columns} rows={items} keyOf={({ id }) => id} />}
      </Panel>
    </Page>
  )
}

function ItemMenu({ item: { id, title } }: { item: Item }): ReactNode {
  const start = useWrite('work_backlog_items.start_now', { refreshes: ['sessions'] })
  return (
    <Menu
      label={`Actions of ${title}`}
      items={[{ label: 'Start now', icon: 'play', onSelect: () => start.mutate({ id: String(id) }) }]}
    />
  )
}
