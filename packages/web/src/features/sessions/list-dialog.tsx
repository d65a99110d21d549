import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Input, OperationName } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { EmptyState, ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { ArtifactChoices, type ListName, listLabels, useArtifacts } from '../catalog/artifact-lists.tsx'
import type { Session } from './session-facts.ts'

/** By their whole names, by which the tests find what pages call. */
const updates = {
  mcp_servers: 'sessions.update_mcp_servers',
  catalog_skills: 'sessions.update_catalog_skills',
  catalog_hooks: 'sessions.update_catalog_hooks',
  catalog_plugins: 'sessions.update_catalog_plugins',
} as const satisfies Record<ListName, OperationName>

type ListDialogProps = { session: Session; id: string; list: ListName; onClose: () => void }

/** Replaces one list of a session. Servers that a person has to authorise first are named instead of passed over. */
export default function ListDialog({ session, id, list, onClose }: ListDialogProps): ReactNode {
  const toasts = useToasts()
  const offered = useArtifacts()[list]
  const [chosen, setChosen] = useState<readonly string[]>(session[list])
  const save = useWrite(updates[list], {
    refreshes: ['board', 'needs_you'],
    complains: false,
    onSuccess: (answer) => {
      if ('oauth_required' in answer && answer.oauth_required) return
      toasts.say(answer.message)
      onClose()
    },
  })
  // Each of the four operations takes its own list.
  const input = { id, [list]: [...chosen] } as unknown as Input<(typeof updates)[ListName]>
  const toAuthorise = save.data && 'oauth_required_servers' in save.data ? save.data.oauth_required_servers : []
  const isSaved = save.data !== undefined
  return (
    <Dialog
      title={listLabels[list]}
      isOpen
      onClose={onClose}
      actions={
        isSaved ? (
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" isBusy={save.isPending} onClick={() => save.mutate(input)}>
              Save
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        <ErrorNote error={save.error} />
        {toAuthorise.map(({ server_name }) => (
          <Callout key={server_name} tone="needs">
            Saved, but the session waits until someone authorizes{' '}
            <Link to="/connectors" search={{ find: server_name }} className="font-medium text-accent-text underline">
              {server_name}
            </Link>
            , and goes on by itself then.
          </Callout>
        ))}
        {!isSaved && offered.length + chosen.length === 0 && (
          <EmptyState icon="package" title="The catalog has none of these">
            <Link to="/catalog" className="text-accent-text underline">
              Open the catalog
            </Link>{' '}
            to see where its entries come from.
          </EmptyState>
        )}
        {!isSaved && (
          <>
            <p className="text-muted text-sm">The next turn uses them. A turn that is underway keeps what it has.</p>
            <div className="rounded-md border border-line">
              <ArtifactChoices offered={offered} chosen={chosen} onChange={setChosen} />
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
