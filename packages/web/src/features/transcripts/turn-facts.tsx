import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Icon, type IconName } from '../../shared/kit/icon.tsx'
import { formatDuration, Time, useNow } from '../../shared/kit/time.tsx'
import { dollars } from '../costs/dollars.ts'
import { useScope } from './open-rows.ts'
import { type Turn, turnSources, turnsOnPage } from './turns.ts'

type TurnFactsProps = { number: number; turn: Turn | undefined; newest: number }

/** "· Ada · follow-up · 3 m 12 s · $0.31 · completed". A turn that is not among the latest is read with those around it. */
export default function TurnFacts({ number, turn, newest }: TurnFactsProps): ReactNode {
  if (turn) return <Facts turn={turn} />
  return number < newest && <EarlierFacts number={number} newest={newest} />
}

function EarlierFacts({ number, newest }: { number: number; newest: number }): ReactNode {
  const { sessionId } = useScope()
  const page = Math.floor((newest - number) / turnsOnPage) + 1
  const { data } = useRead('turns.list', { session_id: sessionId, per_page: turnsOnPage, page })
  const turn = data?.turns.find((each) => each.number === number)
  return turn && <Facts turn={turn} />
}

function Facts({ turn }: { turn: Turn }): ReactNode {
  const { source, author, cost_usd, created_at } = turn
  return (
    <>
      {author && <span>· {author.display_name}</span>}
      <span className="max-md:hidden">· {turnSources[source]}</span>
      <span>
        · <Time at={created_at} />
      </span>
      <TurnAge turn={turn} />
      {cost_usd > 0 && <span className="tabular">· {dollars(cost_usd)}</span>}
      <TurnEnd turn={turn} />
    </>
  )
}

function TurnAge({ turn: { started_at, ended_at } }: { turn: Turn }): ReactNode {
  if (!started_at) return null
  if (!ended_at) return <Running since={started_at} />
  const seconds = (new Date(ended_at).getTime() - new Date(started_at).getTime()) / 1000
  return <span className="tabular">· {formatDuration(seconds)}</span>
}

function Running({ since }: { since: string }): ReactNode {
  return <span className="tabular">· {formatDuration((useNow(1_000) - new Date(since).getTime()) / 1000)}</span>
}

function TurnEnd({ turn }: { turn: Turn }): ReactNode {
  const { icon, words, color } = endOf(turn)
  return (
    <span className={`inline-flex items-center gap-1 font-medium ${color}`}>
      <Icon name={icon} size={13} className={turn.state === 'executing' ? 'spin' : ''} />
      {words}
    </span>
  )
}

/** A restart and a budget that is spent both end a turn so that it starts again later. */
const withdrawals: Record<NonNullable<Turn['withdrawn_by']>, string> = {
  pause: 'paused',
  interrupt: 'interrupted',
  restart: 'stopped, to start again',
  archive: 'ended by the archiving',
}

function endOf({ state, outcome, failure_reason, withdrawn_by }: Turn): {
  icon: IconName
  words: string
  color: string
} {
  if (state === 'executing') return { icon: 'loader-circle', words: 'running', color: 'text-running' }
  if (state !== 'ended') return { icon: 'hourglass', words: 'about to start', color: 'text-muted' }
  if (outcome === 'failed')
    return { icon: 'circle-x', words: `failed: ${inWords(failure_reason ?? 'unknown reason')}`, color: 'text-failed' }
  if (outcome === 'interrupted')
    return {
      icon: 'circle-pause',
      words: withdrawn_by ? withdrawals[withdrawn_by] : 'interrupted',
      color: 'text-muted',
    }
  return { icon: 'circle-check', words: 'completed', color: 'text-ok' }
}

function inWords(name: string): string {
  return name.replaceAll('_', ' ')
}
