import { type ReactNode, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { TriggerEditor } from './trigger-editor.tsx'
import { requestOf, type Trigger, valuesOf } from './trigger-form.ts'

/** The form keeps what was typed when the trigger changes meanwhile; saving sends all of it. */
export function EditTrigger({ trigger, onSaved }: { trigger: Trigger; onSaved: () => void }): ReactNode {
  const toasts = useToasts()
  const [values, setValues] = useState(() => valuesOf(trigger))
  const update = useWrite('triggers.update', {
    complains: false,
    onSuccess: ({ trigger: saved, warnings = [] }) => {
      const moved = saved.reclassified_waiting_sessions
      toasts.say(moved ? `Saved; ${moved} waiting sessions changed their class` : 'Saved')
      for (const warning of warnings) toasts.say(warning)
      onSaved()
    },
  })
  return (
    <TriggerEditor
      values={values}
      onChange={(changes) => setValues((all) => ({ ...all, ...changes }))}
      stored={trigger}
      error={update.error}
      isBusy={update.isPending}
      submitLabel="Save"
      onSubmit={() => update.mutate({ id: String(trigger.id), ...requestOf(values, trigger) })}
    />
  )
}
