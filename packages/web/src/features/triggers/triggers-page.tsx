import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { TriggerState } from './trigger-state.tsx'

type Trigger = Result<'triggers.list'>['triggers'][number]

const columns: readonly Column<Trigger>[] = [
  {
    name: 'name',
    label: 'Name',
    cell: ({ id, name }) => (
      <Link to="/triggers/$id" params={{ id: String(id) }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  { name: 'state', label: 'State', cell: (trigger) => <TriggerState of={trigger} /> },
  {
    name: 'conditions',
    label: 'Fires on',
    isMinor: true,
    cell: ({ conditions }) => (
      <span className="flex flex-wrap gap-1">
        {conditions.map(({ id, condition_type }) => (
          <Badge key={id}>{condition_type}</Badge>
        ))}
      </span>
    ),
  },
  { name: 'root', label: 'Root', isMinor: true, cell: ({ agent_root_name }) => agent_root_name },
  { name: 'sessions', label: 'Sessions', isNumber: true, cell: ({ sessions_created_count }) => sessions_created_count },
  {
    name: 'last',
    label: 'Last fired',
    isNumber: true,
    cell: ({ last_triggered_at }) => (last_triggered_at ? <Time at={last_triggered_at} /> : 'never'),
  },
]

export default function TriggersPage(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('triggers.list', { per_page: 100 })
  const create = (
    <ButtonLink to="/triggers/new" look="primary" icon="plus">
      New trigger
    </ButtonLink>
  )
  return (
    <Page title="Triggers" note="They start sessions on a schedule or an event." actions={create}>
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        {isLoading && <Skeleton />}
        {data?.triggers.length === 0 && (
          <EmptyState icon="timer" title="No triggers" action={create}>
            A trigger starts a session every morning, when an issue gets a label, or when someone writes in a channel.
          </EmptyState>
        )}
        {data && data.triggers.length > 0 && (
          <Table caption="Triggers" columns={columns} rows={data.triggers} keyOf={({ id }) => id} />
        )}
      </Panel>
    </Page>
  )
}
