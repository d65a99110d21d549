import { limits } from '@yardmaster/contract/limits'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { counted } from '../../shared/kit/counted.ts'
import { TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'

const { archiveOldDays, recoveryMinutes } = limits

export function ArchiveDialog({ onClose }: { onClose: () => void }): ReactNode {
  const toasts = useToasts()
  const unarchive = useWrite('sessions.unarchive', { refreshes: ['board', 'health'] })
  const archive = useWrite('health.archive_old', {
    complains: false,
    refreshes: ['sessions', 'board'],
    onSuccess: ({ archived, skipped, remaining }) => {
      const undo = () => {
        for (const id of archived) unarchive.mutate({ id: String(id) })
      }
      toasts.say(
        `${counted(archived.length, 'session was', 'sessions were')} archived, ${skipped.length} left out, ${remaining} remain`,
        archived.length > 0 ? { undo } : {},
      )
      onClose()
    },
  })
  return (
    <FormDialog
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
    </FormDialog>
  )
}

const halt = { minutes: String(recoveryMinutes.default), reason: '' }

type RecoveryProps = { isHalted: boolean; onClose: () => void }

/** Halts the queues, or halts them for longer. */
export function RecoveryDialog({ isHalted, onClose }: RecoveryProps): ReactNode {
  const toasts = useToasts()
  const { values, field, discard, sending, accepted } = useTypedForm('recovery', halt)
  const enter = useWrite('health.enter_queue_recovery_mode', {
    complains: false,
    onSuccess: ({ halted_queues }) => {
      toasts.say(`${halted_queues.length} queues are halted`)
      accepted()
      onClose()
    },
  })
  return (
    <FormDialog
      title={isHalted ? 'Halt the queues for longer' : 'Halt the queues'}
      button={isHalted ? 'Extend' : 'Halt the queues'}
      isDangerous
      isBusy={enter.isPending}
      error={enter.error}
      onClose={onClose}
      onSubmit={() => {
        sending()
        enter.mutate({ ttl_minutes: Number(values.minutes), reason: values.reason })
      }}
      onDiscard={discard}
    >
      <p>Turns that run go on. Triggers, summaries, notifications and all other jobs wait.</p>
      <TextField
        label="For minutes"
        type="number"
        required
        min={recoveryMinutes.min}
        max={recoveryMinutes.max}
        hint={
          isHalted ? 'Counted from now. Then the queues go on by themselves.' : 'Then the queues go on by themselves.'
        }
        {...field('minutes')}
      />
      <TextField
        label="Reason"
        hint={isHalted ? 'Shown on every page. Empty: as it is' : 'Shown on every page'}
        {...field('reason')}
      />
    </FormDialog>
  )
}
