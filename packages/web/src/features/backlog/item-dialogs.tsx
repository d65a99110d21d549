import { type FormEvent, type ReactNode, useId } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { Item } from './rank.ts'
import type { Placing } from './use-placing.ts'

type ItemDialogProps = { item: Item; onClose: () => void }

/** The row stays as history, with the reason. */
export function RemoveDialog({ item, onClose }: ItemDialogProps): ReactNode {
  const id = useId()
  const toasts = useToasts()
  const { data: viewer } = useViewer()
  const remove = useWrite('work_backlog_items.remove', {
    complains: false,
    onSuccess: () => {
      toasts.say('Removed from the queue')
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const reason = String(new FormData(event.currentTarget).get('reason'))
    remove.mutate({ id: String(item.id), reason, ...(viewer?.name && { removed_by: viewer.name }) })
  }
  return (
    <Dialog
      title="Remove from the queue"
      width="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" form={id} isBusy={remove.isPending}>
            Remove it
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        <p>{item.title}</p>
        <TextField
          label="Reason"
          name="reason"
          required
          defaultValue={item.liveness === 'closed' ? 'issue closed' : ''}
          hint="Kept in the history of the backlog"
        />
        <ErrorNote error={remove.error} />
      </form>
    </Dialog>
  )
}

export function PinDialog({ item, placing, onClose }: ItemDialogProps & { placing: Placing }): ReactNode {
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    placing.pinAt(item, Number(new FormData(event.currentTarget).get('precedence')))
    onClose()
  }
  return (
    <Dialog
      title="Pin at a rank"
      width="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id}>
            Pin it
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        <p>{item.title}</p>
        <TextField
          label="Rank"
          name="precedence"
          type="number"
          step="1"
          required
          defaultValue={item.precedence}
          hint="A higher rank is started sooner. A pinned item is never moved by itself."
        />
      </form>
    </Dialog>
  )
}
