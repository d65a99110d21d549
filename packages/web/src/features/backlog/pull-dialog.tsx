import { limits } from '@yardmaster/contract/limits'
import { type ReactNode, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Switch, TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { Item } from './rank.ts'

const { pull: most, dead: mostDead } = limits.backlog

/** Starts items from the top of the queue. Items of the shown page whose issue is closed can be removed in the same step. */
export function PullDialog({ items, onClose }: { items: readonly Item[]; onClose: () => void }): ReactNode {
  const toasts = useToasts()
  const dead = items.filter(({ liveness }) => liveness === 'closed').slice(0, mostDead)
  const [isClearing, setClearing] = useState(dead.length > 0)
  const pull = useWrite('work_backlog_items.pull', {
    complains: false,
    refreshes: ['sessions', 'board'],
    onSuccess: ({ started, removed }) => {
      const sessions = started.map(({ session }) => session.id).join(', ')
      const parts = [
        started.length > 0 ? `Started ${started.length}: session ${sessions}` : 'Nothing was queued to start',
        ...(removed.length > 0 ? [`removed ${removed.length}`] : []),
      ]
      toasts.say(parts.join('; '))
      onClose()
    },
  })
  const submit = (form: FormData) =>
    pull.mutate({
      count: Number(form.get('count')),
      ...(isClearing && { dead: dead.map(({ key }) => ({ key, reason: 'issue_closed' as const })) }),
    })
  return (
    <FormDialog
      title="Pull from the top"
      button="Start them"
      width="sm"
      isBusy={pull.isPending}
      error={pull.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="How many"
        name="count"
        type="number"
        min={0}
        max={most}
        required
        defaultValue={1}
        hint={`At most ${most}. Each starts in a spot session of its own, in the order of the queue.`}
      />
      {dead.length > 0 && (
        <Switch
          label={`First remove ${dead.length} whose issue is closed`}
          hint={dead.map(({ key }) => key).join(', ')}
          isOn={isClearing}
          onChange={setClearing}
        />
      )}
    </FormDialog>
  )
}
