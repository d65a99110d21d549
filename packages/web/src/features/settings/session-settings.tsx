import { type ReactNode, useEffect, useState } from 'react'
import type { Input, Result } from '../../shared/api/client.ts'
import { Select, Switch, TextField } from '../../shared/kit/field.tsx'

type Settings = Result<'settings.show'>['settings']
type Props = {
  settings: Settings
  runtimes: Result<'configs.show'>['runtime_models']
  onChange: (changes: Input<'settings.update'>) => void
}

/** The settings of the whole server. Each change is saved at once. */
export function SessionSettings({ settings, runtimes, onChange }: Props): ReactNode {
  const runtime = settings.default_runtime ?? ''
  const models = runtimes[runtime]?.models ?? []
  return (
    <div className="grid gap-4 p-4 md:grid-cols-2">
      <Select
        label="Default runtime"
        hint="Of sessions that name none"
        value={runtime}
        options={[
          { value: '', label: 'Chosen by the server' },
          ...Object.keys(runtimes).map((name) => ({ value: name, label: name })),
        ]}
        onChange={(event) => onChange({ default_runtime: event.currentTarget.value || null, default_model: null })}
      />
      <Select
        label="Default model"
        hint={runtime ? `Of sessions on ${runtime} that name none` : 'Choose a runtime first'}
        value={settings.default_model ?? ''}
        disabled={runtime === ''}
        options={[
          { value: '', label: 'The default of the runtime' },
          ...models.map(({ id, label }) => ({ value: id, label })),
        ]}
        onChange={(event) => onChange({ default_model: event.currentTarget.value || null })}
      />
      <Switch
        label="Hold spot sessions back"
        hint="While more important work needs the slots or the quota"
        isOn={settings.spot_gating_enabled}
        onChange={(isOn) => onChange({ spot_gating_enabled: isOn })}
      />
      <Switch
        label="Agents search for tools"
        hint="Instead of getting all tools of their MCP servers at once, where an agent can"
        isOn={settings.mcp_tool_search_enabled}
        onChange={(isOn) => onChange({ mcp_tool_search_enabled: isOn })}
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

/** Saved when the field is left or Enter is pressed, not at every digit. */
function NumberSetting({ label, hint, min, value, onChange }: NumberSettingProps): ReactNode {
  const [typed, setTyped] = useState(String(value))
  useEffect(() => setTyped(String(value)), [value])
  const save = () => {
    const number = Number(typed)
    if (typed !== '' && Number.isInteger(number) && number !== value) onChange(number)
    else setTyped(String(value))
  }
  return (
    <TextField
      label={label}
      hint={hint}
      type="number"
      min={min}
      max={100}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => event.key === 'Enter' && save()}
    />
  )
}
