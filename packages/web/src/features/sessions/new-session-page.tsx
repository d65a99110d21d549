import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Select, TextArea, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { useDraft } from '../../shared/state/draft.ts'

export default function NewSessionPage(): ReactNode {
  const navigate = useNavigate()
  const configs = useRead('configs.show', {})
  const [prompt, setPrompt] = useDraft('new-session')
  // Made by the form, so that a double click is one session.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const create = useWrite('sessions.create', {
    complains: false,
    onSuccess: ({ session }) => {
      setPrompt('')
      void navigate({ to: '/sessions/$id', params: { id: String(session.id) } })
    },
  })
  const roots = configs.data?.agent_roots ?? []
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = (name: string) => String(form.get(name) ?? '').trim() || undefined
    create.mutate({
      prompt,
      idempotency_key: idempotencyKey,
      agent_root: given('agent_root'),
      git_root: given('git_root'),
      title: given('title'),
      agent_runtime: given('agent_runtime'),
    })
  }
  return (
    <Page title="New session" width="narrow" note="An agent works on it in its own clone.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ErrorNote error={create.error ?? configs.error} />
        <Panel>
          <div className="flex flex-col gap-4 p-4">
            <TextArea
              label="What should the agent do?"
              value={prompt}
              onChange={(event) => setPrompt(event.currentTarget.value)}
              rows={6}
              autoFocus
              required
            />
            <div className="grid gap-4 md:grid-cols-2">
              <Select
                label="Root"
                name="agent_root"
                options={[
                  { value: '', label: 'None: name a repository' },
                  ...roots.map(({ name, display_name }) => ({ value: name, label: display_name ?? name })),
                ]}
                hint="Supplies what you leave out."
              />
              <TextField label="Repository" name="git_root" placeholder="https://… or /a/local/path" />
              <Select
                label="Runtime"
                name="agent_runtime"
                options={[
                  { value: '', label: 'The default' },
                  ...Object.keys(configs.data?.runtime_models ?? {}).map((name) => ({ value: name, label: name })),
                ]}
              />
              <TextField label="Title" name="title" placeholder="Made from the prompt" />
            </div>
          </div>
        </Panel>
        <div className="flex justify-end">
          <Button type="submit" look="primary" icon="play" isBusy={create.isPending}>
            Start
          </Button>
        </div>
      </form>
    </Page>
  )
}
