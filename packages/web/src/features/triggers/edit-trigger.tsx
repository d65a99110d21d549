import { type ReactNode, useMemo } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { counted } from '../../shared/kit/counted.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useFormDraft } from '../../shared/state/form-draft.ts'
import { TriggerEditor } from './trigger-editor.tsx'
import { draftOf, requestOf, type Trigger, valuesOf } from './trigger-form.ts'

/** The form keeps what was typed when the trigger changes meanwhile, and when the page is left; saving sends all of it. */
export function EditTrigger({ trigger, onSaved }: { trigger: Trigger; onSaved: () => void }): ReactNode {
  const toasts = useToasts()
  const stored = useMemo(() => valuesOf(trigger), [trigger])
  const { values, isChanged, change, clear, sending, accepted } = useFormDraft(draftOf(trigger), stored)
  const update = useWrite('triggers.update', {
    complains: false,
    onSuccess: ({ trigger: saved, warnings = [] }) => {
      accepted()
      const moved = saved.reclassified_waiting_sessions
      toasts.say(moved ? `Saved; ${counted(moved, 'waiting session', 'waiting sessions')} changed class` : 'Saved')
      for (const warning of warnings) toasts.say(warning)
      onSaved()
    },
  })
  return (
    <TriggerEditor
      values={values}
      onChange={change}
      onDiscard={isChanged ? clear : undefined}
      stored={trigger}
      error={update.error}
      isBusy={update.isPending}
      submitLabel="Save"
      onSubmit={() => {
        sending()
        update.mutate({ id: String(trigger.id), ...requestOf(values, trigger) })
      }}
    />
  )
}
