import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

export type Disconnected = { id: string; name: string }

type DisconnectProps = { credential: Disconnected; onClose: () => void }

export function DisconnectDialog({ credential: { id, name }, onClose }: DisconnectProps): ReactNode {
  const toasts = useToasts()
  const disconnect = useWrite('connectors.disconnect', {
    onSuccess: () => {
      toasts.say(`The credential of ${name} is deleted`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`Disconnect ${name}?`}
      isOpen
      onClose={onClose}
      width="sm"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" isBusy={disconnect.isPending} onClick={() => disconnect.mutate({ id })}>
            Disconnect
          </Button>
        </>
      }
    >
      Its stored credential is deleted. Sessions that use it wait from their next turn on, until someone authorizes it
      again.
    </Dialog>
  )
}
