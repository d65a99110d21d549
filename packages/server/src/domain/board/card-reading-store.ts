import type { NeedKind } from '@yardmaster/contract/board/read'
import type { Genesis, PriorityClass, SessionStatus, Visibility } from '@yardmaster/contract/sessions/fields'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { hasMetadata, isHeld, isParked, metadataText } from '../sessions/session.ts'
import { needJoins, needKind } from './needs-store.ts'
import { lastEntries } from './section-store.ts'

export type CardRow = {
  id: number
  slug: string | null
  title: string | null
  /** Only while the title is a placeholder. Not redacted. */
  first_prompt: string | null
  status: SessionStatus
  agent_runtime: string
  genesis: Genesis
  scheduling_class: PriorityClass | null
  precedence: number
  category_id: number | null
  parent_session_id: number | null
  created_at: Date
  updated_at: Date
  heartbeat_enabled: boolean
  favorited: boolean
  has_notes: boolean
  visibility: Visibility
  snoozed_until: Date | null
  is_frozen: boolean | null
  model: string | null
  agent_root: string | null
  failure_reason: string | null
  exit_status: string | null
  held_reason: string | null
  held_since: string | null
  held_until: string | null
  /** JSON, as the session's metadata has it. */
  pull_requests: string | null
  is_held: boolean
  is_paused: boolean
  is_asleep: boolean
  working_since: Date | null
  written_at: Date | null
  last_said: string | null
  queued: number | null
  unread: number | null
  need: NeedKind | null
  question_id: number | null
  question: string | null
  question_expires_at: Date | null
  is_wake_armed: boolean
  wake_at: Date | null
}

/** Longer than what a card shows of a prompt, so that a secret at its end is recognised as one. */
const openingLength = 2_000

/** Whether a person can end it sooner. The pool may have changed since the session was parked, so it is asked as well. */
const parkedReason = sql`case
  when not ${isParked} then null
  when ${metadataText('auth_outage_reason')} = 'auth_unrecoverable' then 'account_needs_reauth'
  when exists (
    select from accounts
    where accounts.runtime = sessions.agent_runtime
      and accounts.status = 'needs_reauth'
  ) then 'account_needs_reauth'
  else 'account_unavailable'
end`

/**
 * What the cards of these sessions show, in one query. Of the tables that grow with history it reads what partial indexes
 * hold: pending messages, unread notifications, live turns.
 */
export async function selectCardRows(db: Database, ids: readonly number[]): Promise<CardRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CardRow>`
    select
      sessions.id, sessions.slug, sessions.title, sessions.status, sessions.agent_runtime, sessions.genesis,
      sessions.scheduling_class, sessions.precedence, sessions.category_id, sessions.parent_session_id,
      sessions.created_at, sessions.updated_at, sessions.heartbeat_enabled, sessions.favorited, sessions.visibility,
      sessions.session_notes is not null as has_notes,
      sessions.snoozed_until, categories.is_frozen,
      sessions.config ->> 'model' as model,
      ${metadataText('agent_root_key')} as agent_root,
      ${metadataText('failure_reason')} as failure_reason,
      left(${metadataText('exit_status')}, 300) as exit_status,
      coalesce(${metadataText('spot_pause_reason')}, ${metadataText('spot_hold_reason')}, ${parkedReason}) as held_reason,
      coalesce(${metadataText('spot_pause_at')}, ${metadataText('spot_hold_at')}, ${metadataText('auth_outage_parked_at')})
        as held_since,
      ${metadataText('auth_outage_pool_recovers_at')} as held_until,
      ${metadataText('pull_requests')} as pull_requests,
      case when ${hasMetadata('auto_generated_title')} then left(coalesce(opening.prompt, sessions.prompt), ${openingLength})
      end as first_prompt,
      ${isHeld} or ${isParked} as is_held,
      coalesce(${metadataText('paused_by')} = 'user', false) as is_paused,
      ${hasMetadata('deliberate_sleep_at')} as is_asleep,
      live.dispatched_at as working_since,
      written.at as written_at,
      main.last_said,
      waiting.count as queued,
      unread.count as unread,
      ${needKind} as need,
      question.id as question_id, left(question.message, 300) as question, question.expires_at as question_expires_at,
      armed.session_id is not null as is_wake_armed, armed.at as wake_at
    from sessions
    left join categories on categories.id = sessions.category_id
    left join turns as live on live.session_id = sessions.id and live.state in ('dispatched', 'executing')
    left join transcript_threads as main on main.session_id = sessions.id and main.thread = 'main'
    left join lateral (
      select prompt
      from turns
      where turns.session_id = sessions.id
        and prompt <> ''
        and ${hasMetadata('auto_generated_title')}
      order by sequence
      limit 1
    ) as opening on true
    ${lastEntries}
    ${needJoins}
    left join (
      select session_id, count(*) as count
      from enqueued_messages
      where status = 'pending'
      group by session_id
    ) as waiting on waiting.session_id = sessions.id
    left join (
      select session_id, count(*) as count
      from notifications
      where not stale
        and not read
      group by session_id
    ) as unread on unread.session_id = sessions.id
    left join (
      select session_id, min(at) as at
      from armed_wakes
      group by session_id
    ) as armed on armed.session_id = sessions.id
    where sessions.id = any(${ids}::bigint[])
  `.execute(db)
  return rows
}
