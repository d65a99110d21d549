import { limits } from '@yardmaster/contract/limits'
import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { counted } from '../../shared/kit/counted.ts'
import { Select, TextField } from '../../shared/kit/field.tsx'
import { filterChoices } from '../../shared/kit/filter-choices.ts'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'

type JobsDialogProps = { action: 'discard' | 'reschedule'; onClose: () => void }

const words = {
  discard: { title: 'Discard queued jobs', button: 'Discard them', done: 'discarded' },
  reschedule: { title: 'Reschedule queued jobs', button: 'Move them', done: 'moved' },
}

const typed = { delay: String(limits.rescheduleMinutes.default), reason: '' }

/** Nothing changes unless the person types exactly the number of jobs that wait in the scope. */
export function JobsDialog({ action, onClose }: JobsDialogProps): ReactNode {
  const toasts = useToasts()
  // Holds no number: the person types it each time, which says that they have seen what waits now.
  const { values, field, discard, sending, accepted } = useTypedForm(`jobs.${action}`, typed)
  const [queue, setQueue] = useState('')
  const [jobClass, setJobClass] = useState('')
  const all = useRead('health.queued_jobs', {})
  const { data, error } = useRead('health.queued_jobs', {
    ...(queue && { queue_name: queue }),
    ...(jobClass && { job_class: jobClass }),
  })
  const report = ({ affected }: { affected: number }) => {
    toasts.say(`${counted(affected, 'job was', 'jobs were')} ${words[action].done}`)
    accepted()
    onClose()
  }
  const discardJobs = useWrite('health.discard_queued_jobs', { complains: false, onSuccess: report })
  const reschedule = useWrite('health.reschedule_queued_jobs', { complains: false, onSuccess: report })
  const submit = (form: FormData) => {
    const change = {
      ...(queue && { queue_name: queue }),
      ...(jobClass && { job_class: jobClass }),
      expected_count: String(form.get('count') ?? ''),
      reason: values.reason,
    }
    sending()
    if (action === 'discard') discardJobs.mutate(change)
    else reschedule.mutate({ ...change, delay_minutes: Number(values.delay) })
  }
  const { title, button } = words[action]
  return (
    <FormDialog
      title={title}
      button={button}
      isDangerous={action === 'discard'}
      isBusy={discardJobs.isPending || reschedule.isPending}
      error={discardJobs.error ?? reschedule.error}
      onClose={onClose}
      onSubmit={submit}
      onDiscard={discard}
    >
      <ErrorNote error={error ?? all.error} />
      <div className="grid gap-3 md:grid-cols-2">
        <Select
          label="Queue"
          value={queue}
          onChange={(event) => setQueue(event.currentTarget.value)}
          options={choices('All queues', queue, all.data?.by_queue)}
        />
        <Select
          label="Class"
          value={jobClass}
          onChange={(event) => setJobClass(event.currentTarget.value)}
          options={choices('All classes', jobClass, all.data?.by_job_class)}
        />
      </div>
      <p role="status">
        <strong className="tabular">{data?.matched ?? '…'}</strong> {data?.matched === 1 ? 'job waits' : 'jobs wait'} in
        this scope.
        {queue === '' && jobClass === '' && ' Choose a queue, a class, or both.'}
        {data?.over_cap && ` One call changes at most ${data.max_per_call}: choose a smaller scope.`}
      </p>
      {action === 'reschedule' && (
        <TextField
          label="Minutes from now"
          type="number"
          required
          min={limits.rescheduleMinutes.min}
          max={limits.rescheduleMinutes.max}
          {...field('delay')}
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
      <TextField label="Reason" hint="For the log, and for the next person who looks" {...field('reason')} />
    </FormDialog>
  )
}

/** What is chosen stays a choice when its last job is gone: otherwise the dialog would name all jobs and change those of one scope. */
function choices(any: string, chosen: string, counts: Record<string, number> = {}) {
  return filterChoices(any, [chosen, ...Object.keys(counts)], (name) => `${name} (${counts[name] ?? 0})`)
}
