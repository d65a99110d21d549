import { type ReactNode, useState } from 'react'
import { Badge } from '../../shared/kit/badge.tsx'
import { IconButton } from '../../shared/kit/button.tsx'
import { part } from '../../shared/kit/part.tsx'
import { type ListName, listLabels, listNames } from '../catalog/artifact-lists.tsx'
import type { Session } from './session-facts.ts'

const ListDialog = part(() => import('./list-dialog.tsx'))

/** What the agent is given of the catalog, each list with a way to change it. */
export function SessionLists({ session, id }: { session: Session; id: string }): ReactNode {
  const [edited, setEdited] = useState<ListName>()
  const injected = session.all_mcp_servers.filter((name) => !session.mcp_servers.includes(name))
  return (
    <>
      <dl className="flex flex-col gap-1.5">
        {listNames.map((list) => (
          <div key={list} className="flex min-w-0 items-start gap-2 text-sm">
            <dt className="w-24 shrink-0 py-0.5 text-muted">{listLabels[list]}</dt>
            <dd className="flex min-h-6 min-w-0 grow flex-wrap items-center gap-1">
              {session[list].map((name) => (
                <Badge key={name}>{name}</Badge>
              ))}
              {list === 'mcp_servers' &&
                injected.map((name) => (
                  <Badge key={name} tip="Given to every session by the service">
                    {name}
                  </Badge>
                ))}
              {session[list].length === 0 && (list !== 'mcp_servers' || injected.length === 0) && (
                <span className="text-faint">none</span>
              )}
            </dd>
            {session.status !== 'archived' && (
              <dd className="shrink-0">
                <IconButton
                  size="sm"
                  icon="pencil"
                  label={`Change the ${listLabels[list]}`}
                  onClick={() => setEdited(list)}
                />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {edited && <ListDialog session={session} id={id} list={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
