import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { refresh, useRead, useWrite } from '../../shared/api/hooks.ts'
import { serverPage } from '../../shared/api/private-path.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { counted } from '../../shared/kit/counted.ts'
import { Select } from '../../shared/kit/field.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Choice, useAppearance } from '../../shared/state/appearance.ts'
import { PushOnDevice } from '../notifications/push-on-device.tsx'
import NameDialog from '../people/name-dialog.tsx'
import { PushDevices, SignedInDevices } from './devices.tsx'
import { SessionSettings } from './session-settings.tsx'
import { showSettings } from './show-settings.ts'
import { SpotPolicy } from './spot-policy.tsx'

export default function SettingsPage(): ReactNode {
  const shown = useRead('settings.show', {})
  const configs = useRead('configs.show', {})
  const { data: viewer } = useViewer()
  const toasts = useToasts()
  const update = useWrite('settings.update', {
    onSuccess: () => toasts.say('Saved'),
    refreshes: ['configs'],
    optimistic: showSettings,
  })
  return (
    <Page title="Settings" width="narrow">
      {viewer?.web_auth === 'none' && (
        <Callout tone="needs">
          WEB_AUTH=none: no one has to sign in. Everyone who reaches this server, an agent on this machine included, can
          read every session and answer for you. Unset it and restart to require a sign-in.
        </Callout>
      )}
      <You name={viewer?.name ?? null} />
      <PushOnDevice />
      <SignedInDevices />
      <PushDevices />
      <Panel title="Sessions">
        <ErrorNote error={shown.error ?? configs.error} onRetry={() => shown.refetch()} />
        {shown.isLoading && <Skeleton />}
        {shown.data && configs.data && (
          <SessionSettings
            settings={shown.data.settings}
            runtimes={configs.data.runtime_models}
            onChange={(changes) => update.mutate(changes)}
          />
        )}
      </Panel>
      <Panel title="Spot policy">
        <SpotPolicy />
      </Panel>
      <About />
    </Page>
  )
}

const themes: readonly { value: Choice<'theme'>; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const times: readonly { value: Choice<'times'>; label: string }[] = [
  { value: 'ages', label: 'How long ago' },
  { value: 'exact', label: 'Date, time and zone' },
]

function You({ name }: { name: string | null }): ReactNode {
  const [theme, setTheme] = useAppearance('theme')
  const [shownTimes, setTimes] = useAppearance('times')
  const cache = useQueryClient()
  const [isNaming, setNaming] = useState(false)
  return (
    <Panel title="You">
      <div className="grid gap-4 p-4 md:grid-cols-2">
        <div>
          <p className="font-medium text-sm">Name</p>
          <p className="flex min-h-8 items-center gap-2">
            <span className="min-w-0 truncate">{name ?? 'Not given yet'}</span>
            <Button size="sm" icon="pencil" onClick={() => setNaming(true)}>
              Change
            </Button>
          </p>
          <p className="text-muted text-sm">Your messages to agents are recorded under it.</p>
        </div>
        <Select
          label="Theme"
          hint="Of this browser"
          value={theme}
          options={themes}
          onChange={(event) => setTheme(event.currentTarget.value as Choice<'theme'>)}
        />
        <Select
          label="Times"
          hint="Of this browser"
          value={shownTimes}
          options={times}
          onChange={(event) => setTimes(event.currentTarget.value as Choice<'times'>)}
        />
      </div>
      <NameDialog
        isOpen={isNaming}
        onClose={() => {
          setNaming(false)
          void refresh(cache, ['sign_ins'])
        }}
      />
    </Panel>
  )
}

const serverPages = [
  { href: '/jobs', label: 'Jobs', note: 'queues, retries, periodic work' },
  { href: '/supervisor', label: 'Supervisor', note: 'every table, for operators' },
  { href: '/supervisor/api_keys', label: 'API keys', note: 'for programs, each with a name and a scope' },
  { href: '/docs', label: 'API reference', note: 'everything here, for programs' },
]

function About(): ReactNode {
  const health = useRead('health.show', {}).data
  const catalog = useRead('catalog.show', {}).data?.catalog
  const link = 'font-medium text-accent-text underline-offset-2 hover:underline'
  return (
    <Panel title="This server">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 p-4">
        <dt className="text-muted">Yardmaster</dt>
        <dd className="break-words">
          {health ? `${health.version}, ${health.rails_env}, Node ${health.ruby_version}` : '…'}
        </dd>
        <dt className="text-muted">Catalog</dt>
        <dd>
          <Link to="/catalog" className={link}>
            {catalog?.name ?? 'Catalog'}
          </Link>{' '}
          <CatalogCounts />
        </dd>
        <dt className="text-muted">Agents</dt>
        <dd>
          <Link to="/clis" className={link}>
            CLIs
          </Link>{' '}
          <span className="text-muted">versions and sign-ins</span>
        </dd>
        {serverPages.map(({ href, label, note }) => (
          <div key={href} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd>
              <a href={serverPage(href)} className={link}>
                {href}
              </a>{' '}
              <span className="text-muted">{note}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

function CatalogCounts(): ReactNode {
  const configs = useRead('configs.show', {}).data
  const counts = [
    { of: configs?.agent_roots, one: 'root', many: 'roots' },
    { of: configs?.mcp_servers, one: 'MCP server', many: 'MCP servers' },
    { of: useRead('skills.list', {}).data?.skills, one: 'skill', many: 'skills' },
    { of: useRead('hooks.list', {}).data?.hooks, one: 'hook', many: 'hooks' },
    { of: useRead('plugins.list', {}).data?.plugins, one: 'plugin', many: 'plugins' },
  ]
  const known = counts.flatMap(({ of, one, many }) => (of ? counted(of.length, one, many) : []))
  return <span className="text-muted">{known.join(', ')}</span>
}
