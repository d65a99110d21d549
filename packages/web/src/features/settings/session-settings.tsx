import type { ReactNode } from 'react'
import type { Input, Result } from '../../shared/api/client.ts'
import { Select, Switch } from '../../shared/kit/field.tsx'

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
        label="Agents search for tools"
        hint="Instead of getting all tools of their MCP servers at once, where an agent can"
        isOn={settings.mcp_tool_search_enabled}
        onChange={(isOn) => onChange({ mcp_tool_search_enabled: isOn })}
      />
    </div>
  )
}
