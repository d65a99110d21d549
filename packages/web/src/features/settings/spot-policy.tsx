import { type ReactNode, useEffect, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Select, Switch, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

/** When spot sessions wait, and which sessions are spot sessions. Each change is saved at once. */
export function SpotPolicy(): ReactNode {
  const toasts = useToasts()
  const { data, error, refetch } = useRead('settings.show', {})
  const update = useWrite('settings.update', { onSuccess: () => toasts.say('Saved'), refreshes: ['configs'] })
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
      <NumberSetting
        label="Sessions at once"
        hint="Before spot sessions wait; priority ones never wait"
        min={1}
        value={settings.spot_max_concurrent_sessions}
        onChange={(value) => onChange({ spot_max_concurrent_sessions: value })}
      />
      <NumberSetting
        label="5-hour quota, percent"
        hint="The use at which spot sessions wait"
        min={0}
        value={settings.spot_gate_five_hour_threshold_pct}
        onChange={(value) => onChange({ spot_gate_five_hour_threshold_pct: value })}
      />
      <NumberSetting
        label="Weekly quota, percent"
        hint="The use at which spot sessions wait"
        min={0}
        value={settings.spot_gate_weekly_threshold_pct}
        onChange={(value) => onChange({ spot_gate_weekly_threshold_pct: value })}
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

type NumberSettingProps = {
  label: string
  hint: string
  min: number
  value: number
  onChange: (value: number) => void
}

/** Saved when the field is left or Enter is pressed, not at every digit. What is typed stays while an earlier number is being saved. */
function NumberSetting({ label, hint, min, value, onChange }: NumberSettingProps): ReactNode {
  const [typed, setTyped] = useState<string>()
  useEffect(() => setTyped((now) => (now === String(value) ? undefined : now)), [value])
  const save = () => {
    if (typed === undefined) return
    const number = Number(typed)
    if (typed !== '' && Number.isInteger(number) && number !== value) onChange(number)
    else setTyped(undefined)
  }
  return (
    <TextField
      label={label}
      hint={hint}
      type="number"
      min={min}
      max={100}
      value={typed ?? String(value)}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => event.key === 'Enter' && save()}
    />
  )
}
