import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { Account } from './account.ts'

type AccountDialogProps = { account: Account; onClose: () => void }

export function PriorityDialog({ account: { id, email, priority }, onClose }: AccountDialogProps): ReactNode {
  const update = useWrite('accounts.update', { complains: false, onSuccess: onClose })
  return (
    <FormDialog
      title={`Priority of ${email}`}
      button="Save"
      width="sm"
      isBusy={update.isPending}
      error={update.error}
      onSubmit={(form) => update.mutate({ id: String(id), priority: Number(form.get('priority')) })}
      onClose={onClose}
    >
      <TextField
        label="Priority"
        name="priority"
        type="number"
        min={0}
        max={1000}
        step={1}
        required
        defaultValue={priority}
        hint="Of the accounts that can serve, the one with the lowest number is used first."
      />
    </FormDialog>
  )
}

export function DeleteAccountDialog({ account: { id, email }, onClose }: AccountDialogProps): ReactNode {
  const toasts = useToasts()
  const remove = useWrite('accounts.delete', {
    onSuccess: () => {
      toasts.say(`${email} is deleted`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`Delete ${email}?`}
      isOpen
      onClose={onClose}
      width="sm"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate({ id: String(id) })}>
            Delete
          </Button>
        </>
      }
    >
      Its tokens are deleted here; the vendor keeps the account. Its readings and rotations stay in the history.
    </Dialog>
  )
}
