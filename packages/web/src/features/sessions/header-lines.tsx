import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Menu, type MenuItem } from '../../shared/kit/menu.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { formatDuration, useNow } from '../../shared/kit/time.tsx'
import { dollars } from '../costs/dollars.ts'
import { type Turn, turnSources, turnsOnPage } from '../transcripts/turns.ts'
import { InlineText } from './inline-text.tsx'
import { modelOf, type Session } from './session-facts.ts'
import type { SessionHeaderProps } from './session-header-props.ts'
import { factsOf } from './session-metadata.ts'
import { showInSession } from './show-in-session.ts'
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
  const { root } = factsOf(session)
  const isArchived = status === 'archived'
  return (
    <>
      <div className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-muted text-sm">
        <Status of={status} need={isAsking ? 'question' : undefined} />
        {underway && <Age turn={underway} />}
        <TurnsMenu id={id} turns={turns} onGo={onGo} />
        <span className="hidden min-w-0 truncate md:inline">
          {[root, session.agent_runtime].filter(Boolean).join(' · ')}
        </span>
        {!isArchived && <ModelMenu id={id} session={session} />}
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
          <InlineText session={session} field="goal" value={session.goal ?? ''} placeholder="none" />
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

function ModelMenu({ id, session }: { id: string; session: Session }): ReactNode {
  const { data } = useRead('configs.show', {})
  const update = useWrite('sessions.update_model', {
    optimistic: (cache, { id, model }) => showInSession(cache, id, { config: { ...session.config, model } }),
  })
  const model = modelOf(session)
  const models = data?.runtime_models[session.agent_runtime]?.models ?? []
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

type TurnsMenuProps = { id: string; turns: readonly Turn[]; onGo: (sequence: number) => void }

/** Jumps to the start of a turn. */
function TurnsMenu({ id, turns, onGo }: TurnsMenuProps): ReactNode {
  const [page, setPage] = useState(1)
  const { data } = useRead('turns.list', { session_id: id, per_page: turnsOnPage, page }, { isEnabled: page > 1 })
  const newest = turns[0]?.number ?? 0
  if (newest < 2) return null
  const shown = page === 1 ? turns : (data?.turns ?? [])
  const turnPage = (label: string, change: number): MenuItem => ({
    label,
    keepsOpen: true,
    onSelect: () => setPage(page + change),
  })
  return (
    <Menu
      label="Go to a turn"
      look="quiet"
      items={[
        ...(page > 1 ? [turnPage('Later turns', -1)] : []),
        ...shown.map(({ number, source, outcome, cost_usd, first_entry }) => ({
          label: [`Turn ${number}`, turnSources[source], cost_usd > 0 ? dollars(cost_usd) : '', outcome ?? 'underway']
            .filter(Boolean)
            .join(' · '),
          isDisabled: first_entry === null,
          onSelect: () => first_entry !== null && onGo(first_entry),
        })),
        ...(page * turnsOnPage < newest ? [turnPage('Earlier turns', 1)] : []),
      ]}
    >
      {newest} turns
    </Menu>
  )
}
