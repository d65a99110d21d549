import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { TextArea, TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

/** Keeps no draft: a login must not stay in the browser. */
export function AddAccountDialog({ runtime, onClose }: { runtime: string; onClose: () => void }): ReactNode {
  const toasts = useToasts()
  const create = useWrite('accounts.create', {
    complains: false,
    onSuccess: ({ account }) => {
      toasts.say(`${account.email} is added`)
      onClose()
    },
  })
  const submit = (form: FormData) => {
    const email = String(form.get('email') ?? '').trim()
    create.mutate({ runtime, credentials: String(form.get('credentials') ?? ''), ...(email && { email }) })
  }
  return (
    <FormDialog
      title={`Add an account of ${runtime}`}
      button="Add the account"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
