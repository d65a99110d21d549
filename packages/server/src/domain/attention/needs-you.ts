import type { NeedsYou, NeedySession } from '@yardmaster/contract/attention/fields'
import type { BoardCard } from '@yardmaster/contract/board/read'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { App } from '../app.ts'
import { findCards } from '../board/board.ts'
import { findPendingQuestions } from '../elicitations/elicitation.ts'
import { readMetadata } from '../sessions/session.ts'
import {
  type FailedTriggerRow,
  type NeedRow,
  selectFailedTriggers,
  selectHeld,
  selectNeeding,
} from './needs-you-store.ts'

/** Of each list. A person who has more than this to do begins at the top. */
const maxListed = 100

export async function showNeedsYou(app: App): Promise<NeedsYou> {
  const [needing, held, triggers, questions] = await Promise.all([
    selectNeeding(app.db, maxListed),
    selectHeld(app.db, maxListed),
    selectFailedTriggers(app.db, maxListed),
    findPendingQuestions(app, maxListed),
  ])
  const cards = await findCards(
    app,
    [...needing, ...held].map(({ id }) => id),
  )
  return {
    sessions: needing.flatMap((row) => {
      const card = cards.get(row.id)
      return card ? [presentNeed(row, card, questions.items)] : []
    }),
    sessions_total: totalOf(needing),
    elicitations_total: questions.total,
    held: held.flatMap(({ id }) => cards.get(id) ?? []),
    held_total: totalOf(held),
    triggers: triggers.map(presentTrigger),
    triggers_total: totalOf(triggers),
  }
}

function presentNeed(row: NeedRow, card: BoardCard, questions: NeedySession['elicitations']): NeedySession {
  const { oauth_required_servers: json } = row
  const servers = json === null ? undefined : serversIn(json)
  return {
    card,
    ...(row.since && { since: formatTimestamp(row.since) }),
    ...(row.transition_id !== null && { transition_id: row.transition_id }),
    elicitations: questions.filter(({ session_id }) => session_id === row.id),
    ...(servers && servers.length > 0 && { oauth_required_servers: servers }),
  }
}

function serversIn(json: string): NeedySession['oauth_required_servers'] {
  return readMetadata({ metadata: { oauth_required_servers: JSON.parse(json) } }).oauth_required_servers
}

function presentTrigger(row: FailedTriggerRow): NeedsYou['triggers'][number] {
  return {
    id: row.id,
    name: row.name,
    agent_root_name: row.agent_root_name,
    ...(row.failed_at && { failed_at: formatTimestamp(row.failed_at) }),
    ...(row.last_error !== null && { last_error: row.last_error }),
    ...(row.last_session_id !== null && { last_session_id: row.last_session_id }),
  }
}

function totalOf(rows: readonly { total: number }[]): number {
  return rows[0]?.total ?? 0
}
