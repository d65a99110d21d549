import { useNavigate } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Select, TextArea, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'

const units = ['minutes', 'hours', 'days', 'weeks']

export default function NewTriggerPage(): ReactNode {
  const navigate = useNavigate()
  const configs = useRead('configs.show', {})
  const create = useWrite('triggers.create', {
    complains: false,
    onSuccess: ({ trigger }) => void navigate({ to: '/triggers/$id', params: { id: String(trigger.id) } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = (name: string) => String(form.get(name) ?? '').trim()
    create.mutate({
      name: given('name'),
      agent_root_name: given('agent_root_name'),
      prompt_template: given('prompt_template'),
      trigger_conditions_attributes: [
        {
          condition_type: 'schedule',
          configuration: {
            interval: Number(given('interval')),
            unit: given('unit'),
            timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          },
        },
      ],
    })
  }
  return (
    <Page title="New trigger" width="narrow" note="Starts a session at an interval.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ErrorNote error={create.error ?? configs.error} />
        <Panel>
          <div className="flex flex-col gap-4 p-4">
            <TextField label="Name" name="name" required autoFocus />
            <Select
              label="Root"
              name="agent_root_name"
              options={(configs.data?.agent_roots ?? []).map(({ name }) => ({ value: name, label: name }))}
            />
            <div className="grid grid-cols-2 gap-4">
              <TextField label="Every" name="interval" type="number" min={1} defaultValue={1} required />
              <Select
                label="Unit"
                name="unit"
                defaultValue="days"
                options={units.map((unit) => ({ value: unit, label: unit }))}
              />
            </div>
            <TextArea label="Prompt" name="prompt_template" required rows={6} />
          </div>
        </Panel>
        <div className="flex justify-end">
          <Button type="submit" look="primary" isBusy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Page>
  )
}
