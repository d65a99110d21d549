import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'

type Tool = Result<'clis.status'>['cli_status']['tools'][string]

const columns: readonly Column<Tool>[] = [
  { name: 'name', label: 'Tool', cell: ({ name }) => <span className="font-medium">{name}</span> },
  {
    name: 'installed',
    label: 'Installed',
    cell: ({ installed, version }) => (installed ? (version ?? 'yes') : <Badge tone="needs">not installed</Badge>),
  },
  {
    name: 'signed in',
    label: 'Signed in',
    cell: ({ authenticated }) => <Badge tone={authenticated ? 'ok' : 'needs'}>{authenticated ? 'yes' : 'no'}</Badge>,
  },
  {
    name: 'next',
    label: 'What to do',
    isMinor: true,
    cell: ({ installed, authenticated, install_instructions, auth_instructions }) =>
      installed ? (authenticated ? '' : auth_instructions) : install_instructions,
  },
]

export default function ClisPage(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('clis.status', {})
  const check = useWrite('clis.refresh')
  const tools = Object.values(data?.cli_status.tools ?? {})
  return (
    <Page
      title="CLIs"
      note="The programs that agents run"
      actions={
        <Button icon="refresh-cw" isBusy={check.isPending} onClick={() => check.mutate({})}>
          Check again
        </Button>
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        {isLoading && <Skeleton />}
        {data && tools.length === 0 && <EmptyState icon="terminal" title="No tool was checked yet" />}
        {tools.length > 0 && <Table caption="Tools" columns={columns} rows={tools} keyOf={({ name }) => name} />}
      </Panel>
    </Page>
  )
}
