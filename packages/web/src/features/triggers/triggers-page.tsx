import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { ButtonLink, IconButton } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { counted } from '../../shared/kit/counted.ts'
import { Icon } from '../../shared/kit/icon.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { conditionLooks } from './condition-looks.ts'
import { RunNowDialog } from './run-now-dialog.tsx'
import { TriggerState } from './trigger-state.tsx'
import { useToggleTrigger } from './use-toggle-trigger.ts'

type List = Result<'triggers.list'>
type Trigger = List['triggers'][number]

export default function TriggersPage(): ReactNode {
  const { attention, page = 1 } = useSearch({ from: '/shell/triggers' })
  const navigate = useNavigate()
  const { data, error, isLoading, refetch } = useRead('triggers.list', {
    page,
    per_page: 100,
    ...(attention && { needs_attention: true }),
  })
  const show = (chosen: number, options = {}) =>
    void navigate({ to: '/triggers', search: { ...(attention && { attention }), page: chosen }, ...options })
  const [running, setRunning] = useState<Trigger>()
  const create = (
    <ButtonLink to="/triggers/new" look="primary" icon="plus">
      New trigger
    </ButtonLink>
  )
  return (
    <Page title="Triggers" note="They start sessions on a schedule or an event." actions={create}>
      <ErrorNote error={error} onRetry={() => refetch()} />
      {attention ? (
        <Callout
          action={
            <ButtonLink to="/triggers" size="sm">
              Show all triggers
            </ButtonLink>
          }
        >
          Only triggers that failed, missed scheduled runs or are in a burst are listed.
        </Callout>
      ) : (
        data && <TroubleElsewhere shown={data} />
      )}
      <Panel>
        {isLoading && <Skeleton />}
        {data?.pagination.total_count === 0 &&
          (attention ? (
            <EmptyState icon="timer" title="No trigger needs attention" />
          ) : (
            <EmptyState icon="timer" title="No triggers" action={create}>
              A trigger starts a session every morning, when an issue gets a label, or when someone writes in a channel.
            </EmptyState>
          ))}
        <ul>
          {data?.triggers.toSorted(problemsFirst).map((trigger) => (
            <TriggerRow key={trigger.id} trigger={trigger} onRun={() => setRunning(trigger)} />
          ))}
        </ul>
        {data && <Pager of={data.pagination} onPage={show} />}
      </Panel>
      {running && <RunNowDialog trigger={running} onClose={() => setRunning(undefined)} />}
    </Page>
  )
}

/** Problems are first on their page of the list. This tells of those on other pages. */
function TroubleElsewhere({ shown: { triggers, pagination } }: { shown: List }): ReactNode {
  const { data } = useRead(
    'triggers.list',
    { needs_attention: true, per_page: 1 },
    { isEnabled: pagination.total_pages > 1 },
  )
  const here = triggers.filter((trigger) => severity(trigger) > 0).length
  const elsewhere = (data?.pagination.total_count ?? 0) - here
  if (elsewhere <= 0) return null
  return (
    <Callout
      tone="needs"
      action={
        <ButtonLink to="/triggers" search={{ attention: true }} size="sm">
          Show all that need attention
        </ButtonLink>
      }
    >
      {counted(elsewhere, 'trigger on another page needs', 'triggers on other pages need')} attention.
    </Callout>
  )
}

function problemsFirst(one: Trigger, other: Trigger): number {
  return severity(other) - severity(one)
}

function severity({ status, bursting, missed_fire_count }: Trigger): number {
  return status === 'failed' ? 2 : bursting || missed_fire_count > 0 ? 1 : 0
}

function TriggerRow({ trigger, onRun }: { trigger: Trigger; onRun: () => void }): ReactNode {
  const { id, name, status, conditions, agent_root_name, sessions_created_count, last_triggered_at } = trigger
  const toggle = useToggleTrigger()
  const [first, ...others] = conditions
  const next = conditions.flatMap(({ next_run_at }) => next_run_at ?? []).toSorted()[0]
  const isEnabled = status === 'enabled'
  return (
    <li className="flex min-h-12 items-center gap-3 border-line border-b px-3 py-1.5 last:border-b-0 hover:bg-hover">
      <Icon name={first ? conditionLooks[first.condition_type].icon : 'timer'} className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <Link to="/triggers/$id" params={{ id: String(id) }} className="min-w-0 truncate font-medium hover:underline">
            {name}
          </Link>
          <TriggerState of={trigger} />
        </div>
        <p className="text-muted text-sm md:truncate">
          {first?.description}
          {others.length > 0 && ` and ${others.length} more`}
        </p>
      </div>
      <span className="hidden w-32 shrink-0 truncate text-muted text-sm lg:block">{agent_root_name}</span>
      <span className="tabular hidden w-24 shrink-0 text-right text-muted text-sm md:block">
        {sessions_created_count} {sessions_created_count === 1 ? 'session' : 'sessions'}
      </span>
      <span className="hidden w-32 shrink-0 text-right text-muted text-sm md:block">
        {isEnabled && next ? (
          <>
            next <Time at={next} />
          </>
        ) : last_triggered_at ? (
          <>
            last <Time at={last_triggered_at} />
          </>
        ) : (
          'never fired'
        )}
      </span>
      <IconButton icon="play" label={`Run ${name} now`} size="sm" onClick={onRun} />
      <IconButton
        icon={isEnabled ? 'pause' : 'zap'}
        label={`${isEnabled ? 'Disable' : 'Enable'} ${name}`}
        size="sm"
        onClick={() => toggle.mutate({ id: String(id) })}
      />
    </li>
  )
}
