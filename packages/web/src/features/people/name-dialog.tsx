import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { setViewer, useViewer } from '../../shared/api/viewer.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'

/** Asks for the name under which this person's messages are recorded. */
export default function NameDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const { data: viewer } = useViewer()
  const cache = useQueryClient()
  const rename = useWrite('browser_session.update', {
    complains: false,
    onSuccess: (answer) => {
      setViewer(cache, answer)
      onClose()
    },
  })
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    rename.mutate({ name: String(new FormData(event.currentTarget).get('name')).trim() })
  }
  return (
    <Dialog title="Your name" isOpen={isOpen} onClose={onClose} width="sm">
      <form onSubmit={save} className="flex flex-col gap-4">
        <ErrorNote error={rename.error} />
        <TextField
          label="Name"
          name="name"
          defaultValue={viewer?.name ?? ''}
          autoComplete="name"
          required
          autoFocus
          hint="Your messages to agents are recorded under it."
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={rename.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
