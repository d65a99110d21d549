import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Page } from '../../shared/kit/page.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useIsLeft } from '../../shared/kit/use-is-left.ts'
import { useFormDraft } from '../../shared/state/form-draft.ts'
import { TriggerEditor } from './trigger-editor.tsx'
import { emptyTrigger, requestOf } from './trigger-form.ts'

export default function NewTriggerPage(): ReactNode {
  const navigate = useNavigate()
  const toasts = useToasts()
  const isLeft = useIsLeft()
  const { values, isChanged, change, clear, sending, accepted } = useFormDraft('new-trigger', emptyTrigger)
  const create = useWrite('triggers.create', {
    complains: false,
    onSuccess: ({ trigger, warnings = [] }) => {
      accepted()
      for (const warning of warnings) toasts.say(warning)
      if (isLeft.current) toasts.say(`${trigger.name} was created`)
      else void navigate({ to: '/triggers/$id', params: { id: String(trigger.id) } })
    },
  })
  return (
    <Page title="New trigger" width="narrow" note="It starts a session on a schedule or when something happens.">
      <TriggerEditor
        values={values}
        onChange={change}
        onDiscard={isChanged ? clear : undefined}
        error={create.error}
        isBusy={create.isPending}
        submitLabel="Create"
        onSubmit={() => {
          sending()
          create.mutate(requestOf(values, undefined))
        }}
      />
    </Page>
  )
}
