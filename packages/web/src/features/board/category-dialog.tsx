import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Switch, TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'
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
  const { values, change, field, discard, sending, accepted } = useTypedForm(
    `category.${section?.category_id ?? 'new'}`,
    {
      name: section?.title ?? '',
      is_frozen: section?.frozen === true,
    },
  )
  const options = {
    refreshes,
    complains: false,
    onSuccess: () => {
      accepted()
      onClose()
    },
  }
  const create = useWrite('categories.create', options)
  const update = useWrite('categories.update', options)
  const submit = () => {
    sending()
    if (section) update.mutate({ id: String(section.category_id), ...values })
    else create.mutate(values)
  }
  return (
    <FormDialog
      title={section ? 'Rename the category' : 'New category'}
      button="Save"
      width="sm"
      isBusy={create.isPending || update.isPending}
      error={create.error ?? update.error}
      onSubmit={submit}
      onDiscard={discard}
      onClose={onClose}
    >
      <TextField label="Name" required autoFocus {...field('name')} />
      <Switch
        label="Frozen"
        hint="Its sessions are left out of refresh-all and of recovery."
        isOn={values.is_frozen}
        onChange={(is_frozen) => change({ is_frozen })}
      />
    </FormDialog>
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
