import { type FormEvent, type ReactNode, useId } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextArea, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

export function AddAccountDialog({ runtime, onClose }: { runtime: string; onClose: () => void }): ReactNode {
  const id = useId()
  const toasts = useToasts()
  const create = useWrite('accounts.create', {
    complains: false,
    onSuccess: ({ account }) => {
      toasts.say(`${account.email} is added`)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const email = String(form.get('email') ?? '').trim()
    create.mutate({ runtime, credentials: String(form.get('credentials') ?? ''), ...(email && { email }) })
  }
  return (
    <Dialog
      title={`Add an account of ${runtime}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} isBusy={create.isPending}>
            Add the account
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-4">
        <TextArea
          label="Login file or token"
          name="credentials"
          rows={6}
          required
          spellCheck={false}
          autoComplete="off"
          className="font-mono text-sm"
          hint="The content of the file that the CLI wrote when you signed in. It is stored encrypted and never shown again."
        />
        <TextField label="Name" name="email" hint="Needed if the login does not tell whose it is" autoComplete="off" />
        <ErrorNote error={create.error} />
      </form>
    </Dialog>
  )
}
