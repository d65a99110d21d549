import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Select, Switch } from '../../shared/kit/field.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'

export default function SettingsPage(): ReactNode {
  const shown = useRead('settings.show', {})
  const configs = useRead('configs.show', {})
  const update = useWrite('settings.update')
  const settings = shown.data?.settings
  const runtimes = Object.keys(configs.data?.runtime_models ?? {})
  return (
    <Page title="Settings" width="narrow">
      <ErrorNote error={shown.error} onRetry={() => shown.refetch()} />
      {shown.isLoading && <Skeleton />}
      {settings && (
        <Panel title="Sessions">
          <div className="flex flex-col gap-4 p-4">
            <Select
              label="Default runtime"
              value={settings.default_runtime ?? ''}
              options={[
                { value: '', label: 'Chosen by the server' },
                ...runtimes.map((name) => ({ value: name, label: name })),
              ]}
              onChange={(event) => update.mutate({ default_runtime: event.currentTarget.value || null })}
            />
            <Switch
              label="Hold spot sessions back"
              hint="While more important work needs the slots or the quota."
              isOn={settings.spot_gating_enabled}
              onChange={(isOn) => update.mutate({ spot_gating_enabled: isOn })}
            />
          </div>
        </Panel>
      )}
    </Page>
  )
}
