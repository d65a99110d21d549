import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { PlaceholderFields, RenderedPrompt } from './template-preview.tsx'
import type { Trigger } from './trigger-form.ts'
import { usePreview } from './use-preview.ts'

/** Fires a trigger by hand, with a value for each placeholder. */
export function RunNowDialog({ trigger, onClose }: { trigger: Trigger; onClose: () => void }): ReactNode {
  const navigate = useNavigate()
  const toasts = useToasts()
  const [variables, setVariables] = useState<Record<string, string>>({})
  // Without conditions: what a person types here is theirs, so it is not fenced.
  const { data: preview } = usePreview({ prompt_template: trigger.prompt_template, variables })
  const invoke = useWrite('triggers.invoke', {
    refreshes: ['sessions', 'board'],
    complains: false,
    onSuccess: ({ message, session }) => {
      toasts.say(message)
      void navigate({ to: '/sessions/$id', params: { id: String(session.id) } })
    },
  })
  const run = (event: FormEvent) => {
    event.preventDefault()
    invoke.mutate({ id: String(trigger.id), variables })
  }
  return (
    <Dialog title={`Run ${trigger.name} now`} isOpen onClose={onClose} width="lg">
      <form onSubmit={run} className="flex flex-col gap-4">
        <ErrorNote error={invoke.error} />
        <PlaceholderFields
          names={preview?.placeholders ?? []}
          values={variables}
          onChange={(name, value) => setVariables((all) => ({ ...all, [name]: value }))}
        />
        <RenderedPrompt preview={preview} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" icon="play" isBusy={invoke.isPending}>
            Run now
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
