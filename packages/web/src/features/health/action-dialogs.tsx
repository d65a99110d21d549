import { limits } from '@yardmaster/contract/limits'
import { type FormEvent, type ReactNode, useId } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

const { archiveOldDays, recoveryMinutes } = limits

export function ArchiveDialog({ onClose }: { onClose: () => void }): ReactNode {
  const toasts = useToasts()
  const archive = useWrite('health.archive_old', {
    complains: false,
    refreshes: ['sessions', 'board'],
    onSuccess: ({ archived, skipped, remaining }) => {
      toasts.say(`${archived.length} sessions were archived, ${skipped.length} left out, ${remaining} remain`)
      onClose()
    },
  })
  return (
    <ActionDialog
      title="Archive idle sessions"
      button="Archive them"
      isBusy={archive.isPending}
      error={archive.error}
      onClose={onClose}
      onSubmit={(form) => archive.mutate({ days: Number(form.get('days')) })}
    >
      <TextField
        label="Idle for days"
        name="days"
        type="number"
        required
        min={archiveOldDays.min}
        max={archiveOldDays.max}
        defaultValue={archiveOldDays.default}
        hint="Sessions that run, wait or have queued messages are left out."
      />
    </ActionDialog>
  )
}

type RecoveryProps = { isHalted: boolean; onClose: () => void }

/** Halts the queues, or halts them for longer. */
export function RecoveryDialog({ isHalted, onClose }: RecoveryProps): ReactNode {
  const toasts = useToasts()
  const enter = useWrite('health.enter_queue_recovery_mode', {
    complains: false,
    onSuccess: ({ halted_queues }) => {
      toasts.say(`${halted_queues.length} queues are halted`)
      onClose()
    },
  })
  return (
    <ActionDialog
      title={isHalted ? 'Halt the queues for longer' : 'Halt the queues'}
      button={isHalted ? 'Extend' : 'Halt the queues'}
      isDangerous
      isBusy={enter.isPending}
      error={enter.error}
      onClose={onClose}
      onSubmit={(form) =>
        enter.mutate({ ttl_minutes: Number(form.get('minutes')), reason: String(form.get('reason') ?? '') })
      }
    >
      <p>Turns that run go on. Triggers, summaries, notifications and all other jobs wait.</p>
      <TextField
        label="For minutes"
        name="minutes"
        type="number"
        required
        min={recoveryMinutes.min}
        max={recoveryMinutes.max}
        defaultValue={recoveryMinutes.default}
        hint={
          isHalted ? 'Counted from now. Then the queues go on by themselves.' : 'Then the queues go on by themselves.'
        }
      />
      <TextField
        label="Reason"
        name="reason"
        hint={isHalted ? 'Shown on every page. Empty: as it is' : 'Shown on every page'}
      />
    </ActionDialog>
  )
}

type ActionDialogProps = {
  title: string
  button: string
  isBusy: boolean
  isDangerous?: boolean
  error: unknown
  children: ReactNode
  onSubmit: (form: FormData) => void
  onClose: () => void
}

export function ActionDialog(props: ActionDialogProps): ReactNode {
  const { title, button, isBusy, isDangerous = false, error, children, onSubmit, onClose } = props
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
      actions={
        <>
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
