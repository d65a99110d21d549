import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useIsLeft } from '../../shared/kit/use-is-left.ts'
import { useTypedForm } from '../../shared/state/typed-form.ts'
import { sayStarted } from '../sessions/say-started.tsx'
import { PlaceholderFields, RenderedPrompt } from './template-preview.tsx'
import { runOf, type Trigger } from './trigger-form.ts'
import { usePreview } from './use-preview.ts'

const noVariables: Record<string, string> = {}

/** Fires a trigger by hand, with a value for each placeholder. */
export function RunNowDialog({ trigger, onClose }: { trigger: Trigger; onClose: () => void }): ReactNode {
  const navigate = useNavigate()
  const toasts = useToasts()
  const isLeft = useIsLeft()
  const { values: variables, change, discard, sending, accepted } = useTypedForm(runOf(trigger), noVariables)
  // Without conditions: what a person types here is theirs, so it is not fenced.
  const { data: preview } = usePreview({ prompt_template: trigger.prompt_template, variables })
  const invoke = useWrite('triggers.invoke', {
    refreshes: ['sessions', 'board'],
    complains: false,
    onSuccess: ({ message, session }) => {
      accepted()
      if (isLeft.current) return sayStarted(toasts, session)
      toasts.say(message)
      void navigate({ to: '/sessions/$id', params: { id: String(session.id) } })
    },
  })
  return (
    <FormDialog
      title={`Run ${trigger.name} now`}
      button="Run now"
      width="lg"
      isBusy={invoke.isPending}
      error={invoke.error}
      onSubmit={() => {
        sending()
        invoke.mutate({ id: String(trigger.id), variables })
      }}
      onDiscard={discard}
      onClose={onClose}
    >
      <PlaceholderFields
        names={preview?.placeholders ?? []}
        values={variables}
        onChange={(name, value) => change({ [name]: value })}
      />
      <RenderedPrompt preview={preview} />
    </FormDialog>
  )
}
