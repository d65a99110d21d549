import { limits } from '@yardmaster/contract/limits'
import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Select, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { ActionDialog } from './action-dialogs.tsx'

type JobsDialogProps = { action: 'discard' | 'reschedule'; onClose: () => void }

const words = {
  discard: { title: 'Discard queued jobs', button: 'Discard them', done: 'discarded' },
  reschedule: { title: 'Reschedule queued jobs', button: 'Move them', done: 'moved' },
}

/** Nothing changes unless the person types exactly the number of jobs that wait in the scope. */
export function JobsDialog({ action, onClose }: JobsDialogProps): ReactNode {
  const toasts = useToasts()
  const [queue, setQueue] = useState('')
  const [jobClass, setJobClass] = useState('')
  const all = useRead('health.queued_jobs', {})
  const { data, error } = useRead('health.queued_jobs', {
    ...(queue && { queue_name: queue }),
    ...(jobClass && { job_class: jobClass }),
  })
  const report = ({ affected }: { affected: number }) => {
    toasts.say(`${affected} jobs were ${words[action].done}`)
    onClose()
  }
  const discard = useWrite('health.discard_queued_jobs', { complains: false, onSuccess: report })
  const reschedule = useWrite('health.reschedule_queued_jobs', { complains: false, onSuccess: report })
  const submit = (form: FormData) => {
    const change = {
      ...(queue && { queue_name: queue }),
      ...(jobClass && { job_class: jobClass }),
      expected_count: String(form.get('count') ?? ''),
      reason: String(form.get('reason') ?? ''),
    }
    if (action === 'discard') discard.mutate(change)
    else reschedule.mutate({ ...change, delay_minutes: Number(form.get('delay')) })
  }
  const { title, button } = words[action]
  return (
    <ActionDialog
      title={title}
      button={button}
      isDangerous={action === 'discard'}
      isBusy={discard.isPending || reschedule.isPending}
      error={discard.error ?? reschedule.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <ErrorNote error={error ?? all.error} />
      <div className="grid gap-3 md:grid-cols-2">
        <Select
          label="Queue"
          value={queue}
          onChange={(event) => setQueue(event.currentTarget.value)}
          options={choices('All queues', all.data?.by_queue)}
        />
        <Select
          label="Class"
          value={jobClass}
          onChange={(event) => setJobClass(event.currentTarget.value)}
          options={choices('All classes', all.data?.by_job_class)}
        />
      </div>
      <p role="status">
        <strong className="tabular">{data?.matched ?? '…'}</strong> jobs wait in this scope.
        {data?.over_cap && ` One call changes at most ${data.max_per_call}: choose a smaller scope.`}
      </p>
      {action === 'reschedule' && (
        <TextField
          label="Minutes from now"
          name="delay"
          type="number"
          required
          min={limits.rescheduleMinutes.min}
          max={limits.rescheduleMinutes.max}
          defaultValue={limits.rescheduleMinutes.default}
        />
      )}
      <TextField
        label="Type the number of jobs"
        name="count"
        inputMode="numeric"
        autoComplete="off"
        required
        hint={action === 'discard' ? 'They never run; this cannot be taken back.' : 'Only their time changes.'}
      />
      <TextField label="Reason" name="reason" hint="For the log, and for the next person who looks" />
    </ActionDialog>
  )
}

function choices(any: string, counts: Record<string, number> = {}) {
  return [
    { value: '', label: any },
    ...Object.entries(counts).map(([name, count]) => ({ value: name, label: `${name} (${count})` })),
  ]
}
