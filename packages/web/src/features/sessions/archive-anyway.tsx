import type { ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import type { SessionActions } from './use-session-actions.ts'

/** Asks before the messages of a queue are lost. */
export default function ArchiveAnyway({ actions }: { actions: SessionActions }): ReactNode {
  return (
    <Dialog
      title="Archive with messages in the queue?"
      isOpen
      onClose={actions.keep}
      actions={
        <>
          <Button onClick={actions.keep}>Keep it</Button>
          <Button look="danger" icon="archive" isBusy={actions.isArchiving} onClick={() => actions.archive(true)}>
            Archive anyway
          </Button>
        </>
      }
    >
      <p>{actions.queuedNote}</p>
    </Dialog>
  )
}
