import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useViewer, viewerKey } from '../../shared/api/viewer.ts'
import { giveName } from '../../shared/api/web-session.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'

/** Asks for the name under which this person's messages are recorded. */
export function NameDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const { data: viewer } = useViewer()
  const cache = useQueryClient()
  const [error, setError] = useState<unknown>()
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    try {
      cache.setQueryData(viewerKey, await giveName(String(new FormData(event.currentTarget).get('name')).trim()))
      onClose()
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <Dialog title="Your name" isOpen={isOpen} onClose={onClose} width="sm">
      <form onSubmit={save} className="flex flex-col gap-4">
        <ErrorNote error={error} />
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
          <Button type="submit" look="primary">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
