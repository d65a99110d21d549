import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { TextField } from '../../shared/kit/field.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Connector, needsPerson } from './connector.ts'
import { ConnectorRow } from './connector-row.tsx'
import type { ConnectorsSearch } from './connectors-search.ts'
import { DisconnectDialog, type Disconnected } from './disconnect-dialog.tsx'
import { OrphanedCredentials } from './orphaned-credentials.tsx'
import { PasteDialog, type Pasting } from './paste-dialog.tsx'

export default function ConnectorsPage(): ReactNode {
  const { find = '' }: ConnectorsSearch = useSearch({ from: '/shell/connectors' })
  const navigate = useNavigate()
  // A token is renewed, or another person authorizes a server, without an event.
  const { data, error, isLoading, refetch } = useRead('connectors.list', {}, { everyMs: 60_000 })
  const [pasting, setPasting] = useState<Pasting>()
  const [disconnected, setDisconnected] = useState<Disconnected>()
  useAuthorizedToast()
  const connectors = data?.connectors ?? []
  const shown = connectors.filter((connector) => matches(connector, find))
  return (
    <Page
      title="Connectors"
      note={data ? noteOf(connectors) : 'The MCP servers that sessions can use'}
      actions={
        <TextField
          label="Filter"
          isLabelHidden
          type="search"
          placeholder="Filter"
          value={find}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ to: '/connectors', search: value ? { find: value } : {}, replace: true })
          }
        />
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        {isLoading && <Skeleton rows={4} />}
        {data && shown.length === 0 && (
          <EmptyState icon="plug" title={find ? `Nothing matches “${find}”` : 'The catalog has no MCP server'}>
            {find ? 'Names, titles and addresses are searched.' : 'MCP servers are entries of the catalog’s mcp.json.'}
          </EmptyState>
        )}
        <ul aria-label="MCP servers">
          {shown.map((connector) => (
            <ConnectorRow
              key={connector.name}
              connector={connector}
              onPaste={setPasting}
              onDisconnect={(id) => setDisconnected({ id, name: connector.title })}
            />
          ))}
        </ul>
      </Panel>
      <OrphanedCredentials credentials={data?.orphaned_credentials ?? []} onForget={setDisconnected} />
      {pasting && <PasteDialog pasting={pasting} onClose={() => setPasting(undefined)} />}
      {disconnected && <DisconnectDialog credential={disconnected} onClose={() => setDisconnected(undefined)} />}
    </Page>
  )
}

/** After their consent a person lands here; the toast is shown once, not again on a reload. */
function useAuthorizedToast(): void {
  const { authorized, ...others }: ConnectorsSearch = useSearch({ from: '/shell/connectors' })
  const navigate = useNavigate()
  const toasts = useToasts()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each server.
  useEffect(() => {
    if (authorized === undefined) return
    toasts.say(`${authorized} is authorized`)
    void navigate({ to: '/connectors', search: others, replace: true })
  }, [authorized])
}

function noteOf(connectors: readonly Connector[]): string {
  const needing = connectors.filter(needsPerson).length
  const waiting = new Set(connectors.flatMap(({ waiting_sessions }) => waiting_sessions.map(({ id }) => id))).size
  if (needing === 0) return 'Every MCP server can be used, as far as is known here'
  const sessions = waiting === 0 ? '' : `, and ${waiting} ${waiting === 1 ? 'session waits' : 'sessions wait'}`
  return `${needing} of ${connectors.length} MCP servers need you${sessions}`
}

function matches({ name, title, server_url }: Connector, find: string): boolean {
  return `${name} ${title} ${server_url ?? ''}`.toLowerCase().includes(find.toLowerCase())
}
