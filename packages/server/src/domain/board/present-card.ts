import type { BoardCard } from '@yardmaster/contract/board/read'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { truncate } from '../../platform/truncate.ts'
import { type ClassByGenesis, readMetadata } from '../sessions/session.ts'
import type { CardRow } from './card-reading-store.ts'

const maxText = 120

type Context = {
  now: Date
  classByGenesis: ClassByGenesis
  cost: number | undefined
  redact: (text: string) => string
}

/** A key without a value is left out: of forty keys a usual card has fifteen. */
export function presentCard(row: CardRow, { now, classByGenesis, cost, redact }: Context): BoardCard {
  const { status, snoozed_until: snoozedUntil } = row
  const isSnoozeOver = snoozedUntil !== null && snoozedUntil <= now
  const touchedAt = row.written_at !== null && row.written_at > row.updated_at ? row.written_at : row.updated_at
  const pullRequest = pullRequestOf(row)
  const opening = openingOf(row.first_prompt ?? '', redact)
  const failure = status === 'failed' ? failureOf(row) : ''
  return {
    id: row.id,
    ...(row.slug !== null && { slug: row.slug }),
    ...(row.title !== null && { title: row.title }),
    ...(opening !== '' && { prompt: opening }),
    status,
    agent_runtime: row.agent_runtime,
    ...(row.model !== null && { model: row.model }),
    ...(row.agent_root !== null && { agent_root: row.agent_root }),
    priority_class: row.scheduling_class ?? classByGenesis[row.genesis],
    precedence: row.precedence,
    ...(row.category_id !== null && { category_id: row.category_id }),
    ...(row.parent_session_id !== null && { parent_session_id: row.parent_session_id }),
    created_at: formatTimestamp(row.created_at),
    touched_at: formatTimestamp(touchedAt),
    ...(row.working_since !== null && { working_since: formatTimestamp(row.working_since) }),
    ...(row.last_said !== null && { last_line: row.last_said }),
    ...(row.written_at !== null && { last_written_at: formatTimestamp(row.written_at) }),
    ...(row.queued !== null && { queued: row.queued }),
    ...(cost !== undefined && cost > 0 && { cost_usd: roundedToCents(cost) }),
    ...(pullRequest && { pull_request: pullRequest }),
    ...(row.need !== null && { needs_you: row.need }),
    ...questionOf(row),
    ...(row.unread !== null && { unread: row.unread }),
    ...(failure !== '' && { failure }),
    ...(row.is_held && { held: heldOf(row) }),
    ...(row.is_wake_armed && { wake: row.wake_at === null ? {} : { at: formatTimestamp(row.wake_at) } }),
    ...(row.is_paused && { paused: true }),
    ...(row.is_asleep && status === 'waiting' && { asleep: true }),
    ...(row.is_frozen === true && { frozen: true }),
    ...(row.heartbeat_enabled && { heartbeat: true }),
    ...(row.favorited && { favorited: true }),
    ...(row.has_notes && { notes: true }),
    ...(row.visibility !== 'visible' && !isSnoozeOver && { visibility: row.visibility }),
    ...(snoozedUntil !== null && !isSnoozeOver && { snoozed_until: formatTimestamp(snoozedUntil) }),
  }
}

/** Of a ten-thousandth of a dollar. */
export function roundedToCents(dollars: number): number {
  return Math.round(dollars * 1e4) / 1e4
}

/** The first line that says something. Redact before truncating: a truncated secret no longer matches its pattern. */
function openingOf(prompt: string, redact: (text: string) => string): string {
  const [line = ''] = redact(prompt)
    .trim()
    .split(/[\r\n]+/)
  return truncate(line.replace(/\s+/g, ' '), maxText)
}

function failureOf({ failure_reason: reason, exit_status: detail }: CardRow): string {
  const text = [reason?.replaceAll('_', ' '), detail].filter(Boolean).join(': ')
  return truncate(text.replace(/\s+/g, ' '), maxText)
}

function heldOf({ held_reason: reason, held_since: since, held_until: until }: CardRow): BoardCard['held'] {
  return { reason: reason ?? 'fleet_at_cap', ...(since !== null && { since }), ...(until !== null && { until }) }
}

function questionOf(row: CardRow): Pick<BoardCard, 'question'> {
  const { question_id: id, question: message, question_expires_at: expiresAt } = row
  if (id === null || message === null || expiresAt === null) return {}
  const question = truncate(message.replace(/\s+/g, ' '), maxText)
  return { question: { elicitation_id: id, message: question, expires_at: formatTimestamp(expiresAt) } }
}

function pullRequestOf({ pull_requests: json }: CardRow): BoardCard['pull_request'] {
  if (json === null) return undefined
  const { pull_requests: all = [] } = readMetadata({ metadata: { pull_requests: JSON.parse(json) } })
  return all.findLast(({ state }) => state === 'open') ?? all.at(-1)
}
