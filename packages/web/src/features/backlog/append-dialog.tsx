import {
  type EstimatedCost,
  estimatedCosts,
  type ScopeDirection,
  scopeDirections,
} from '@yardmaster/contract/backlog/vocabulary'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Select, TextArea, TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'

const empty = {
  title: '',
  issue_url: '',
  prompt: '',
  repo: '',
  surface: '',
  kind: 'bug',
  key: '',
  estimated_cost: estimatedCosts[0] as EstimatedCost,
  scope_direction: scopeDirections[0] as ScopeDirection,
  notes: '',
}

/** What was typed stays when the dialog is closed, also by a click beside it. */
export function AppendDialog({ onClose }: { onClose: () => void }): ReactNode {
  const toasts = useToasts()
  const { values, field, discard, sending, accepted } = useTypedForm('backlog.append', empty)
  const append = useWrite('work_backlog_items.append', {
    complains: false,
    onSuccess: ({ created, position, work_backlog_item: { key } }) => {
      toasts.say(created ? `Queued at position ${position}` : `${key} is queued already, at position ${position}`)
      accepted()
      onClose()
    },
  })
  const submit = () => {
    sending()
    append.mutate({
      ...values,
      key: values.key.trim() || `manual-${slugOf(values.title)}`,
      title: values.title.trim(),
      repo: values.repo.trim(),
      surface: values.surface.trim(),
      kind: values.kind.trim(),
      issue_url: values.issue_url.trim() || null,
      prompt: values.prompt.trim() || null,
      notes: values.notes.trim() || null,
    })
  }
  return (
    <FormDialog
      title="Add work"
      button="Queue it"
      isBusy={append.isPending}
      error={append.error}
      onSubmit={submit}
      onDiscard={discard}
      onClose={onClose}
    >
      <TextField
        label="What is to be done"
        required
        placeholder="Retry the upload after a lost connection"
        {...field('title')}
      />
      <TextField
        label="Issue"
        type="url"
        hint="Its address. Without an issue write a prompt."
        {...field('issue_url')}
      />
      <TextArea
        label="Prompt"
        rows={3}
        hint="What the agent is asked to do, instead of implementing the issue"
        {...field('prompt')}
      />
      <div className="grid gap-3 md:grid-cols-2">
        <TextField label="Repository" required placeholder="owner/name" {...field('repo')} />
        <TextField
          label="Surface"
          required
          placeholder="uploads"
          hint="The part of the product"
          {...field('surface')}
        />
        <TextField label="Kind" required {...field('kind')} />
        <TextField label="Key" placeholder="name#498" hint="Made from the title if empty" {...field('key')} />
        <Select
          label="Cost"
          hint="Decides its band: small work is started first"
          options={estimatedCosts.map((cost) => ({ value: cost, label: cost }))}
          {...field('estimated_cost')}
        />
        <Select
          label="Direction"
          hint="Whether it narrows or widens the product"
          options={scopeDirections.map((direction) => ({ value: direction, label: direction }))}
          {...field('scope_direction')}
        />
      </div>
      <TextArea label="Notes" rows={2} {...field('notes')} />
    </FormDialog>
  )
}

function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
  return slug.slice(0, 80) || 'work'
}
