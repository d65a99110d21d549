import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Menu } from '../../shared/kit/menu.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { formatDuration, useNow } from '../../shared/kit/time.tsx'
import { dollars } from '../costs/dollars.ts'
import type { Turn } from '../transcripts/turn-row.tsx'
import { InlineText } from './inline-text.tsx'
import { modelOf } from './session-facts.ts'
import type { SessionHeaderProps } from './session-header.tsx'
import { factsOf } from './session-metadata.ts'
import { StatusSummary } from './status-summary.tsx'

/** Below the title: how far it is, what it runs on, what it is for. Loaded after the transcript. */
export default function HeaderLines({
  shown,
  id,
  underway,
  isAsking,
  cost,
  turns,
  onGo,
}: SessionHeaderProps): ReactNode {
  const { session } = shown
  const { status } = session
  const update = useWrite('sessions.update', { refreshes: ['board'] })
  const { root } = factsOf(session)
  const isArchived = status === 'archived'
  return (
    <>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-muted text-sm">
        <Status of={status} need={isAsking ? 'question' : undefined} />
        {underway && <Age turn={underway} />}
        <TurnsMenu turns={turns} onGo={onGo} />
        <span className="hidden min-w-0 truncate md:inline">
          {[root, session.agent_runtime].filter(Boolean).join(' · ')}
        </span>
        {!isArchived && <ModelMenu id={id} runtime={session.agent_runtime} model={modelOf(session)} />}
        {!!cost && (
          <Link
            to="/costs"
            search={{ session: String(session.id) }}
            data-tip="At list price, subagents included"
            className="tabular hover:underline"
          >
            {dollars(cost)}
          </Link>
        )}
        <span className="tabular hidden md:inline">#{session.id}</span>
      </div>
      <div className="flex min-w-0 flex-wrap gap-x-6 text-sm">
        <div className="flex min-w-0 max-w-full items-center gap-1 lg:max-w-[50%]">
          <span className="shrink-0 text-muted">Goal</span>
          <InlineText
            label="goal"
            value={session.goal ?? ''}
            placeholder="none"
            onSave={(goal) => update.mutate({ id, goal })}
          />
        </div>
        <StatusSummary id={id} summary={shown.status_summary} />
      </div>
    </>
  )
}

function Age({ turn: { number, started_at, created_at } }: { turn: Turn }): ReactNode {
  const seconds = (useNow(1_000) - new Date(started_at ?? created_at).getTime()) / 1000
  return (
    <span className="tabular">
      turn {number} · {formatDuration(seconds)}
    </span>
  )
}

function ModelMenu({ id, runtime, model }: { id: string; runtime: string; model: string }): ReactNode {
  const { data } = useRead('configs.show', {})
  const update = useWrite('sessions.update_model')
  const models = data?.runtime_models[runtime]?.models ?? []
  if (models.length === 0) return model === '' ? null : <span>{model}</span>
  return (
    <Menu
      label="Model of the next turn"
      look="quiet"
      items={models.map((one) => ({
        label: one.label,
        ...(one.id === model && { icon: 'check' as const }),
        onSelect: () => update.mutate({ id, model: one.id }),
      }))}
    >
      {models.find((one) => one.id === model)?.label ?? model}
    </Menu>
  )
}

/** Jumps to the start of a turn. */
function TurnsMenu({ turns, onGo }: { turns: readonly Turn[]; onGo: (sequence: number) => void }): ReactNode {
  if (turns.length < 2) return null
  return (
    <Menu
      label="Go to a turn"
      look="quiet"
      items={turns.map(({ number, source, outcome, cost_usd, first_entry }) => ({
        label: [
          `Turn ${number}`,
          source.replaceAll('_', ' '),
          cost_usd > 0 ? dollars(cost_usd) : '',
          outcome ?? 'underway',
        ]
          .filter(Boolean)
          .join(' · '),
        isDisabled: first_entry === null,
        onSelect: () => first_entry !== null && onGo(first_entry),
      }))}
    >
      {/* The list has the latest hundred. */}
      {Math.max(...turns.map(({ number }) => number))} turns
    </Menu>
  )
}
