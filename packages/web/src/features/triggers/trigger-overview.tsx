import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { CopyButton } from '../../shared/kit/copy-button.tsx'
import { counted } from '../../shared/kit/counted.ts'
import { Icon } from '../../shared/kit/icon.tsx'
import { EmptyState, Skeleton } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { nameOfSession } from '../sessions/name-of-session.ts'
import { conditionLooks } from './condition-looks.ts'
import { AddressesPanel, DeliveryPanel } from './delivery-panel.tsx'
import { NextFires } from './next-fires.tsx'
import { TriggerSettings } from './trigger-settings.tsx'
import { usePreview } from './use-preview.ts'

type OverviewProps = { shown: Result<'triggers.show'>; onRun: () => void }

/** What it does, when it is due next, and what it started. */
export function TriggerOverview({ shown, onRun }: OverviewProps): ReactNode {
  const { trigger, recent_sessions } = shown
  const { data: preview } = usePreview({
    trigger_id: trigger.id,
    trigger_conditions_attributes: trigger.conditions.map(({ id }) => ({ id })),
  })
  const missing = Object.values(trigger.unresolved_catalog_references).flatMap((names) => Object.keys(names))
  return (
    <div className="flex flex-col gap-4">
      {trigger.agent_root_missing_from_catalog && (
        <Callout tone="needs">The catalog has no root {trigger.agent_root_name}: its next fire will fail.</Callout>
      )}
      {missing.length > 0 && (
        <Callout tone="needs">Past fires did not find in the catalog: {missing.join(', ')}.</Callout>
      )}
      {trigger.bursting && trigger.burst_ends_at && (
        <Callout tone="needs">
          A burst: {counted(trigger.suppressed_event_count, 'fire was', 'fires were')} held back. It ends{' '}
          <Time at={trigger.burst_ends_at} />.
        </Callout>
      )}
      {trigger.missed_fire_count > 0 && trigger.first_missed_fire_at && (
        <Callout tone="needs">
          {counted(trigger.missed_fire_count, 'scheduled run', 'scheduled runs in a row')} did not happen, because the
          prompt of the last one still waited; the first <Time at={trigger.first_missed_fire_at} />.
        </Callout>
      )}
      <Panel title="Fires on">
        <ul>
          {trigger.conditions.map(({ id, condition_type, description, last_triggered_at }) => (
            <li key={id} className="flex min-h-9 items-center gap-2 border-line border-b px-3 py-1 last:border-b-0">
              <Icon name={conditionLooks[condition_type].icon} className="shrink-0 text-muted" />
              <span className="min-w-0 grow break-words">{description}</span>
              {last_triggered_at && (
                <span className="whitespace-nowrap text-muted text-sm">
                  last <Time at={last_triggered_at} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title={trigger.status === 'enabled' ? 'Next fires' : 'Next fires, if it was enabled now'}>
        {preview ? (
          <div className="px-3 py-1">
            <NextFires fires={preview.next_fires} />
          </div>
        ) : (
          <Skeleton rows={3} />
        )}
      </Panel>
      <DeliveryPanel trigger={trigger} />
      <TriggerSettings trigger={trigger} />
      <Panel
        title="Prompt"
        actions={
          <>
            <Badge>{trigger.agent_root_name}</Badge>
            <CopyButton value={trigger.prompt_template} label="prompt" />
          </>
        }
      >
        <pre className="whitespace-pre-wrap break-words p-3 font-mono text-sm">{trigger.prompt_template}</pre>
      </Panel>
      <Panel title="Sessions it started">
        {recent_sessions.length === 0 && (
          <EmptyState
            icon="history"
            title="It has started none yet"
            action={<Button onClick={onRun}>Run it by hand</Button>}
          >
            The newest sessions that it starts are listed here.
          </EmptyState>
        )}
        <ul>
          {recent_sessions.map((session) => (
            <li
              key={session.id}
              className="flex min-h-9 items-center gap-3 border-line border-b px-3 last:border-b-0 hover:bg-hover"
            >
              <Status of={session.status} className="w-24 shrink-0" />
              <Link
                to="/sessions/$id"
                params={{ id: String(session.id) }}
                className="min-w-0 grow truncate font-medium hover:underline"
              >
                {nameOfSession(session)}
              </Link>
              <Time at={session.created_at} className="text-muted text-sm" />
            </li>
          ))}
        </ul>
      </Panel>
      <AddressesPanel trigger={trigger} />
    </div>
  )
}
