import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Select, Switch } from '../../shared/kit/field.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { SavedField } from '../../shared/kit/saved-field.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { showSettings } from './show-settings.ts'

/** When spot sessions wait, and which sessions are spot sessions. Each change is saved at once. */
export function SpotPolicy(): ReactNode {
  const toasts = useToasts()
  const { data, error, refetch } = useRead('settings.show', {})
  const update = useWrite('settings.update', {
    onSuccess: () => toasts.say('Saved'),
    refreshes: ['configs'],
    optimistic: showSettings,
  })
  const onChange = update.mutate
  if (!data) return error ? <ErrorNote error={error} onRetry={() => refetch()} /> : <Skeleton rows={3} />
  const { settings } = data
  return (
    <div className="grid gap-4 p-4 md:grid-cols-2">
      <Switch
        label="Hold spot sessions back"
        hint="While more important work needs the slots or the quota"
        isOn={settings.spot_gating_enabled}
        onChange={(isOn) => onChange({ spot_gating_enabled: isOn })}
      />
      <SavedField
        {...number}
        label="Sessions at once"
        hint="Before spot sessions wait; priority ones never wait"
        min={1}
        value={String(settings.spot_max_concurrent_sessions)}
        onSave={(value, ends) => onChange({ spot_max_concurrent_sessions: Number(value) }, ends)}
      />
      <SavedField
        {...number}
        label="5-hour quota, percent"
        hint="The use at which spot sessions wait"
        min={0}
        value={String(settings.spot_gate_five_hour_threshold_pct)}
        onSave={(value, ends) => onChange({ spot_gate_five_hour_threshold_pct: Number(value) }, ends)}
      />
      <SavedField
        {...number}
        label="Weekly quota, percent"
        hint="The use at which spot sessions wait"
        min={0}
        value={String(settings.spot_gate_weekly_threshold_pct)}
        onSave={(value, ends) => onChange({ spot_gate_weekly_threshold_pct: Number(value) }, ends)}
      />
      {origins.map(({ name, label }) => (
        <Select
          key={name}
          label={`Class of sessions ${label}`}
          value={settings.genesis_class_overrides[name] ?? ''}
          options={[
            { value: '', label: 'The default' },
            { value: 'priority', label: 'Priority: start at once' },
            { value: 'spot', label: 'Spot: wait for a free slot' },
          ]}
          onChange={(event) => {
            const { [name]: _, ...others } = settings.genesis_class_overrides
            const chosen = event.currentTarget.value as 'spot' | 'priority' | ''
            onChange({ genesis_class_overrides: chosen ? { ...others, [name]: chosen } : others })
          }}
        />
      ))}
    </div>
  )
}

const origins = [
  { name: 'web_ui', label: 'made here' },
  { name: 'api', label: 'made by the API' },
  { name: 'unknown', label: 'of unknown origin' },
] as const

const number = { type: 'number', max: 100, required: true } as const
