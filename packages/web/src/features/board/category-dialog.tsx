import { type FormEvent, type ReactNode, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Switch, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import type { BoardSection } from './board-cache.ts'
import type { CategoryDialogState } from './category-menu.ts'

const refreshes = ['board'] as const

export default function CategoryDialog({
  state,
  onClose,
}: {
  state: CategoryDialogState
  onClose: () => void
}): ReactNode {
  return state.kind === 'delete' ? (
    <DeleteCategory section={state.section} onClose={onClose} />
  ) : (
    <NameCategory section={state.kind === 'edit' ? state.section : undefined} onClose={onClose} />
  )
}

function NameCategory({ section, onClose }: { section: BoardSection | undefined; onClose: () => void }): ReactNode {
  const [name, setName] = useState(section?.title ?? '')
  const [isFrozen, setFrozen] = useState(section?.frozen === true)
  const options = { refreshes, complains: false, onSuccess: onClose }
  const create = useWrite('categories.create', options)
  const update = useWrite('categories.update', options)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const input = { name, is_frozen: isFrozen }
    if (section) update.mutate({ id: String(section.category_id), ...input })
    else create.mutate(input)
  }
  return (
    <Dialog title={section ? 'Rename the category' : 'New category'} isOpen onClose={onClose} width="sm">
      <form onSubmit={submit} className="flex flex-col gap-3">
        <ErrorNote error={create.error ?? update.error} />
        <TextField label="Name" value={name} autoFocus onChange={(event) => setName(event.currentTarget.value)} />
        <Switch
          label="Frozen"
          hint="Its sessions are left out of refresh-all and of recovery."
          isOn={isFrozen}
          onChange={setFrozen}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            disabled={name.trim() === ''}
            isBusy={create.isPending || update.isPending}
          >
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function DeleteCategory({ section, onClose }: { section: BoardSection; onClose: () => void }): ReactNode {
  const remove = useWrite('categories.delete', { refreshes, complains: false, onSuccess: onClose })
  return (
    <Dialog
      title={`Delete “${section.title}”?`}
      isOpen
      onClose={onClose}
      width="sm"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            isBusy={remove.isPending}
            onClick={() => remove.mutate({ id: String(section.category_id) })}
          >
            Delete
          </Button>
        </>
      }
    >
      <ErrorNote error={remove.error} />
      <p>Its sessions stay, and become Uncategorized.</p>
    </Dialog>
  )
}
