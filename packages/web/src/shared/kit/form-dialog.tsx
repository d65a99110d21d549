import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { keptSentence } from './kept-draft.tsx'
import { ErrorNote } from './notes.tsx'

type FormDialogProps = {
  title: string
  /** What the button does: "Add the budget". */
  button: string
  isBusy?: boolean
  isDangerous?: boolean
  width?: 'sm' | 'md' | 'lg'
  error?: unknown
  children: ReactNode
  /** The fields by name, for a form that keeps no draft. */
  onSubmit: (form: FormData) => void
  /** Of a form that is kept as a draft; absent while there is nothing to discard. */
  onDiscard?: (() => void) | undefined
  onClose: () => void
}

/** A dialog with fields and one button that sends them. A refusal is shown below the fields. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const {
    title,
    button,
    isBusy = false,
    isDangerous = false,
    width,
    error,
    children,
    onSubmit,
    onDiscard,
    onClose,
  } = props
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      {...(width && { width })}
      actions={
        <>
          {onDiscard && (
            <Button look="quiet" className="mr-auto" data-tip={keptSentence} onClick={onDiscard}>
              Discard the draft
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button look={isDangerous ? 'danger' : 'primary'} type="submit" form={id} isBusy={isBusy}>
            {button}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        {children}
        <ErrorNote error={error} />
      </form>
    </Dialog>
  )
}
