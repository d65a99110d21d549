import {
  type EstimatedCost,
  estimatedCosts,
  type ScopeDirection,
  scopeDirections,
} from '@yardmaster/contract/backlog/vocabulary'
import { type FormEvent, type ReactNode, useId } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Select, TextArea, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

export function AppendDialog({ onClose }: { onClose: () => void }): ReactNode {
  const id = useId()
  const toasts = useToasts()
  const append = useWrite('work_backlog_items.append', {
    complains: false,
    onSuccess: ({ created, position, work_backlog_item: { key } }) => {
      toasts.say(created ? `Queued at position ${position}` : `${key} is queued already, at position ${position}`)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const title = text('title')
    append.mutate({
      key: text('key') || `manual-${slugOf(title)}`,
      title,
      repo: text('repo'),
      surface: text('surface'),
      kind: text('kind'),
      estimated_cost: text('estimated_cost') as EstimatedCost,
      scope_direction: text('scope_direction') as ScopeDirection,
      issue_url: text('issue_url') || null,
      prompt: text('prompt') || null,
      notes: text('notes') || null,
    })
  }
  return (
    <Dialog
      title="Add work"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} isBusy={append.isPending}>
            Queue it
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="What is to be done"
          name="title"
          required
          placeholder="Retry the upload after a lost connection"
        />
        <TextField label="Issue" name="issue_url" type="url" hint="Its address. Without an issue write a prompt." />
        <TextArea
          label="Prompt"
          name="prompt"
          rows={3}
          hint="What the agent is asked to do, instead of implementing the issue"
        />
        <div className="grid gap-3 md:grid-cols-2">
          <TextField label="Repository" name="repo" required placeholder="owner/name" />
          <TextField label="Surface" name="surface" required placeholder="uploads" hint="The part of the product" />
          <TextField label="Kind" name="kind" required defaultValue="bug" />
          <TextField label="Key" name="key" placeholder="name#498" hint="Made from the title if empty" />
          <Select
            label="Cost"
            name="estimated_cost"
            hint="Decides its band: small work is started first"
            options={estimatedCosts.map((cost) => ({ value: cost, label: cost }))}
          />
          <Select
            label="Direction"
            name="scope_direction"
            hint="Whether it narrows or widens the product"
            options={scopeDirections.map((direction) => ({ value: direction, label: direction }))}
          />
        </div>
        <TextArea label="Notes" name="notes" rows={2} />
        <ErrorNote error={append.error} />
      </form>
    </Dialog>
  )
}

function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
  return slug.slice(0, 80) || 'work'
}
