import { type ReactNode, useEffect } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { isQueuedRefusal } from './queued-refusal.ts'
import type { SessionActions } from './use-session-actions.ts'

type RefusalProps = { actions: SessionActions; refusal: Error }

/** Asks before the messages of a queue are lost. Any other refusal is said. */
export default function ArchiveAnyway({ actions, refusal }: RefusalProps): ReactNode {
  const { toasts, keep } = actions
  const asks = isQueuedRefusal(refusal)
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once; the actions are others at each render.
  useEffect(() => {
    if (asks) return
    toasts.complain(refusal)
    keep()
  }, [refusal])
  if (!asks) return null
  return (
    <Dialog
      title="Archive with messages in the queue?"
      isOpen
      onClose={keep}
      actions={
        <>
          <Button onClick={keep}>Keep it</Button>
          <Button look="danger" icon="archive" isBusy={actions.isArchiving} onClick={() => actions.archive(true)}>
            Archive anyway
          </Button>
        </>
      }
    >
      <p>{refusal.messages.join(' ')}</p>
    </Dialog>
  )
}
