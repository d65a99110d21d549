import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { IconButton } from '../../shared/kit/button.tsx'
import { Menu, type MenuItem } from '../../shared/kit/menu.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { formatDuration, useNow } from '../../shared/kit/time.tsx'
import { dollars } from '../costs/dollars.ts'
import type { Turn } from '../transcripts/turn-row.tsx'
import { InlineText } from './inline-text.tsx'
import { nameOfSession } from './name-of-session.ts'
import { Neighbours } from './neighbours.tsx'
import { factsOf, modelOf, type Shown } from './session-facts.ts'
import { StatusSummary } from './status-summary.tsx'
import type { SessionActions } from './use-session-actions.ts'

type SessionHeaderProps = {
  shown: Shown
  id: string
  underway: Turn | undefined
  cost: number | undefined
  actions: SessionActions
  turns: readonly Turn[]
  onFind: () => void
  onGo: (sequence: number) => void
  lastEntry: number | undefined
}

export function SessionHeader(props: SessionHeaderProps): ReactNode {
  const { shown, id, underway, cost, actions, turns, onFind, onGo, lastEntry } = props
  const { session } = shown
  const { status, favorited } = session
  const update = useWrite('sessions.update', { refreshes: ['board'] })
  const { root } = factsOf(session)
  const isArchived = status === 'archived'
  return (
    <header className="border-line border-b bg-surface px-3 py-2 md:px-5">
      <div className="flex min-w-0 items-center gap-2">
        <Neighbours id={session.id} />
        <div className="min-w-0 grow">
          <InlineText
            label="title"
            value={session.title ?? ''}
            placeholder="A short title"
            onSave={(title) => update.mutate({ id, title })}
          >
            <h1 className="min-w-0 truncate font-semibold text-lg">{nameOfSession(session)}</h1>
          </InlineText>
        </div>
        <div className="flex shrink-0 items-center">
          <IconButton icon="search" label="Find in the transcript" onClick={onFind} />
          <IconButton
            icon="star"
            label={favorited ? 'Favourite' : 'Make it a favourite'}
            isPressed={favorited}
            className={favorited ? '[&_svg]:fill-current' : ''}
            onClick={actions.favorite}
          />
          {underway && <IconButton icon="pause" label="Pause: ends the running turn" onClick={actions.pause} />}
          {isArchived ? (
            <IconButton icon="archive-restore" label="Unarchive" onClick={actions.unarchive} />
          ) : (
            <IconButton icon="archive" label="Archive" onClick={() => actions.archive()} />
          )}
          <Menu label="More actions" size="md" items={menuItems(props, lastEntry)} />
        </div>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-muted text-sm">
        <Status of={status} />
        {underway && <Age turn={underway} />}
        <TurnsMenu turns={turns} onGo={onGo} />
        <span className="hidden min-w-0 truncate md:inline">
          {[root, session.agent_runtime].filter(Boolean).join(' · ')}
        </span>
        {!isArchived && <ModelMenu id={id} runtime={session.agent_runtime} model={modelOf(session)} />}
        {!!cost && (
          <Link to="/costs" data-tip="At list price, subagents included" className="tabular hover:underline">
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
    </header>
  )
}

function menuItems(
  { shown: { session }, underway, actions }: SessionHeaderProps,
  lastEntry: number | undefined,
): MenuItem[] {
  const isArchived = session.status === 'archived'
  const isAsleep = factsOf(session).asleepSince !== undefined && session.status === 'waiting'
  return [
    ...(isArchived
      ? []
      : ([
          isAsleep
            ? { label: 'Wake', icon: 'sun', onSelect: actions.restart }
            : { label: underway ? 'Sleep when the turn ends' : 'Sleep', icon: 'moon', onSelect: actions.sleep },
          { label: 'Restart', icon: 'rotate-ccw', onSelect: actions.restart },
          { label: 'Read the transcript from disk again', icon: 'refresh-cw', onSelect: actions.reread },
        ] satisfies MenuItem[])),
    {
      label: 'Fork at the last entry',
      icon: 'git-fork',
      isDisabled: !lastEntry,
      onSelect: () => lastEntry && actions.fork(lastEntry),
    },
    'separator',
    { label: 'Copy the transcript', icon: 'copy', onSelect: () => void actions.copyTranscript() },
    { label: 'Copy the link', icon: 'link', onSelect: () => void actions.copyLink() },
  ]
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
      {turns.length} turns
    </Menu>
  )
}
