import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'
import type { Item } from './rank.ts'
import type { Placing } from './use-placing.ts'

type ItemDialogProps = { item: Item; onClose: () => void }

/** The row stays as history, with the reason. */
export function RemoveDialog({ item, onClose }: ItemDialogProps): ReactNode {
  const toasts = useToasts()
  const { data: viewer } = useViewer()
  const { values, field, discard, sending, accepted } = useTypedForm(`backlog.remove.${item.id}`, {
    reason: item.liveness === 'closed' ? 'issue closed' : '',
  })
  const remove = useWrite('work_backlog_items.remove', {
    complains: false,
    onSuccess: () => {
      toasts.say('Removed from the queue')
      accepted()
      onClose()
    },
  })
  const submit = () => {
    sending()
    remove.mutate({ id: String(item.id), ...values, ...(viewer?.name && { removed_by: viewer.name }) })
  }
  return (
    <FormDialog
      title="Remove from the queue"
      button="Remove it"
      isDangerous
      width="sm"
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={submit}
      onDiscard={discard}
      onClose={onClose}
    >
      <p>{item.title}</p>
      <TextField label="Reason" required hint="Kept in the history of the backlog" {...field('reason')} />
    </FormDialog>
  )
}

export function PinDialog({ item, placing, onClose }: ItemDialogProps & { placing: Placing }): ReactNode {
  const submit = (form: FormData) => {
    placing.pinAt(item, Number(form.get('precedence')))
    onClose()
  }
  return (
    <FormDialog title="Pin at a rank" button="Pin it" width="sm" onSubmit={submit} onClose={onClose}>
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
    </FormDialog>
  )
}
