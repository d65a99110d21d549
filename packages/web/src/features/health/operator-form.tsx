import { type FormEvent, type ReactNode, useId } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { Button } from '../../shared/kit/button.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'

/** Where everyone may open the pages, the actions need the operator's password, as they do on the server's own page. */
export function OperatorForm(): ReactNode {
  const id = useId()
  const viewer = useViewer()
  const become = useWrite('browser_session.become_operator', {
    complains: false,
    onSuccess: () => void viewer.refetch(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    become.mutate({ password: String(new FormData(event.currentTarget).get('password') ?? '') })
  }
  return (
    <form id={id} onSubmit={submit} className="flex max-w-md flex-col gap-3 p-3">
      <TextField
        label="Operator's password"
        name="password"
        type="password"
        required
        autoComplete="current-password"
        hint="Anyone can open these pages, so actions need the password of the operator (SUPERVISOR_PASSWORD)."
      />
      <ErrorNote error={become.error} />
      <div>
        <Button look="primary" type="submit" isBusy={become.isPending}>
          Show the actions
        </Button>
      </div>
    </form>
  )
}
