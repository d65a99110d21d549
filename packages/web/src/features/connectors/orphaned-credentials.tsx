import type { ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { CopyButton } from '../../shared/kit/copy-button.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import type { OrphanedCredential } from './connector.ts'
import type { Disconnected } from './disconnect-dialog.tsx'

type OrphanedProps = { credentials: readonly OrphanedCredential[]; onForget: (credential: Disconnected) => void }

/** Credentials of servers that the catalog no longer has, or has with another address. */
export function OrphanedCredentials({ credentials, onForget }: OrphanedProps): ReactNode {
  if (credentials.length === 0) return null
  return (
    <Panel title="Credentials that no MCP server uses">
      <ul>
        {credentials.map(({ id, server_name, server_url, created_at }) => (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b px-3 py-2 last:border-b-0"
          >
            <span className="font-medium">{server_name}</span>
            <span className="min-w-0 break-all font-mono text-muted text-sm">{server_url}</span>
            <CopyButton value={server_url} label={`address of ${server_name}`} />
            <span className="text-muted text-sm">
              authorized <Time at={created_at} />
            </span>
            <span className="grow" />
            <Button size="sm" look="danger" onClick={() => onForget({ id, name: server_name })}>
              Delete
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
