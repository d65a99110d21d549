import { limits } from '@yardmaster/contract/limits'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Switch, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { Item } from './rank.ts'

const { pull: most, dead: mostDead } = limits.backlog

/** Starts items from the top of the queue. Items of the shown page whose issue is closed can be removed in the same step. */
export function PullDialog({ items, onClose }: { items: readonly Item[]; onClose: () => void }): ReactNode {
  const id = useId()
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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    pull.mutate({
      count: Number(new FormData(event.currentTarget).get('count')),
      ...(isClearing && { dead: dead.map(({ key }) => ({ key, reason: 'issue_closed' as const })) }),
    })
  }
  return (
    <Dialog
      title="Pull from the top"
      width="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} isBusy={pull.isPending}>
            Start them
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
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
        <ErrorNote error={pull.error} />
      </form>
    </Dialog>
  )
}
