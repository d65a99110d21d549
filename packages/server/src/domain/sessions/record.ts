import type { JsonObject } from '@yardmaster/contract/json'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { authorizationKeys, holdKeys, outageKeys, type SessionMetadata, setupKeys } from './metadata.ts'
import { type ColumnChanges, updateSession } from './session-store.ts'
import type { SessionRow } from './session-table.ts'

/**
 * The writes that other rooms may ask of the kernel, each named after what it records. The caller holds the session's
 * row lock. The status is not among them: that is `transition`'s.
 */

type Places = { conversationId: string | null; hostId: string; clonePath: string; workingDirectory: string }

/** Where the session lives on disk, and on which host. */
export function recordWorkspace(tx: Transaction, id: number, places: Places): Promise<void> {
  return updateSession(tx, id, {
    session_id: places.conversationId,
    host_id: places.hostId,
    metadata: { clone_path: places.clonePath, working_directory: places.workingDirectory },
  })
}

/** The session is set up from scratch by its next turn. */
export function clearWorkspace(tx: Transaction, id: number): Promise<void> {
  return updateSession(tx, id, { session_id: null, forget: setupKeys })
}

/** The runtime's own id of the conversation. */
export function recordConversation(tx: Transaction, id: number, conversationId: string): Promise<void> {
  return updateSession(tx, id, { session_id: conversationId })
}

/** The host that took the session's turn. `turnId` is left out for a turn that was withdrawn before it was taken. */
export function recordClaim(tx: Transaction, id: number, claim: { hostId: string; turnId?: string }): Promise<void> {
  const { hostId, turnId } = claim
  return updateSession(tx, id, { host_id: hostId, ...(turnId !== undefined && { running_job_id: turnId }) })
}

export function recordAgentProcess(tx: Transaction, id: number, pid: number): Promise<void> {
  return updateSession(tx, id, { metadata: { runtime_started: true, process_pid: pid } })
}

/** The turn that the session's creation queued. */
export function recordFirstTurn(tx: Transaction, id: number, turnId: string): Promise<void> {
  return updateSession(tx, id, { job_id: turnId, running_job_id: turnId })
}

export function recordNextTurn(tx: Transaction, id: number, turnId: string): Promise<void> {
  return updateSession(tx, id, { running_job_id: turnId })
}

/** The session's turn waits. Without `at` it waited before, for another reason. */
export function recordHold(tx: Transaction, id: number, hold: { at?: Date; reason: string; detail: string }) {
  const { at, reason: spot_hold_reason, detail: spot_hold_detail } = hold
  return updateSession(tx, id, {
    metadata: { ...(at && { spot_hold_at: formatTimestamp(at) }), spot_hold_reason, spot_hold_detail },
  })
}

/** The turn starts although a budget is spent. */
export function recordOverBudget(tx: Transaction, id: number, turnId: string): Promise<void> {
  return updateSession(tx, id, { metadata: { over_budget_turn_id: turnId } })
}

/** From now on no sweep reads its history: it would count what was refused. */
export function recordSuspectCalls(tx: Transaction, id: number): Promise<void> {
  return updateSession(tx, id, { metadata: { has_suspect_calls: true } })
}

/** The turn that a budget ended may go on. */
export function clearBudgetStop(tx: Transaction, id: number): Promise<void> {
  return updateSession(tx, id, { forget: ['stopped_by_budget'] })
}

export function clearHold(tx: Transaction, id: number): Promise<void> {
  return updateSession(tx, id, { forget: holdKeys })
}

/** Which vendor account serves the session, or why it waits for one; nothing if it no longer waits. */
export function recordAccount(tx: Transaction, id: number, metadata: SessionMetadata): Promise<void> {
  return updateSession(tx, id, { metadata, forget: outageKeys })
}

/** The session goes to sleep when its running turn ends. */
export function recordPendingSleep(tx: Transaction, id: number, at: Date): Promise<void> {
  return updateSession(tx, id, { metadata: { deliberate_sleep_at: formatTimestamp(at), pending_sleep: true } })
}

/** Names the session until a title is given or generated. */
export function recordPlaceholderTitle(tx: Transaction, id: number): Promise<void> {
  return updateSession(tx, id, { title: `Session ${id}`, metadata: { auto_generated_title: true } })
}

/** Sets a final title. */
export function recordTitle(tx: Transaction, id: number, named: { title: string | null; slug?: string }) {
  return updateSession(tx, id, { ...named, forget: ['auto_generated_title'] })
}

export type SessionEdit = Partial<
  Pick<
    SessionRow,
    'title' | 'slug' | 'goal' | 'is_autonomous' | 'auto_compact_window' | 'scheduling_class' | 'precedence'
  >
> & { custom_metadata?: JsonObject }

/** What a caller changed about the session. */
export async function recordEdit(tx: Transaction, id: number, edit: SessionEdit): Promise<void> {
  if (Object.keys(edit).length === 0) return
  await updateSession(tx, id, { ...edit, ...('title' in edit && { forget: ['auto_generated_title'] }) })
}

export function recordModel(tx: Transaction, id: number, model: string): Promise<void> {
  return updateSession(tx, id, { config: { model } })
}

type ArtifactColumns = Pick<ColumnChanges, 'mcp_servers' | 'catalog_skills' | 'catalog_hooks' | 'catalog_plugins'>

/** A list of servers that the caller emptied is marked, so that defaults do not fill it again. */
export function recordArtifacts(tx: Transaction, id: number, lists: ArtifactColumns): Promise<void> {
  const { mcp_servers: servers } = lists
  return updateSession(tx, id, {
    ...lists,
    ...(servers?.length === 0 && { metadata: { mcp_servers_explicitly_empty: true } }),
    ...(servers && servers.length > 0 && { forget: ['mcp_servers_explicitly_empty'] }),
  })
}

export function recordInjectedServers(tx: Transaction, id: number, names: string[]): Promise<void> {
  return updateSession(tx, id, { injected_mcp_servers: names })
}

/** The pull requests of the session, as the forge showed them last. */
export function recordPullRequests(
  tx: Transaction,
  id: number,
  pullRequests: NonNullable<SessionMetadata['pull_requests']>,
): Promise<void> {
  return updateSession(tx, id, { metadata: { pull_requests: pullRequests } })
}

/** A question that no person answered, or whose answer did not reach the agent. */
export function recordLostElicitation(
  tx: Transaction,
  id: number,
  lost: NonNullable<SessionMetadata['lost_elicitation']>,
): Promise<void> {
  return updateSession(tx, id, { metadata: { lost_elicitation: lost } })
}

export function clearLostElicitation(tx: Transaction, id: number): Promise<void> {
  return updateSession(tx, id, { forget: ['lost_elicitation'] })
}

/** The servers that still wait for authorisation. Without any, the session no longer waits. */
export function recordSignInNeed(tx: Transaction, id: number, servers: SessionMetadata['oauth_required_servers']) {
  const need = servers?.length ? { metadata: { oauth_required_servers: servers } } : { forget: authorizationKeys }
  return updateSession(tx, id, need)
}

export function recordNotes(tx: Transaction, id: number, notes: { text: string | null; at: Date | null }) {
  return updateSession(tx, id, { session_notes: notes.text, session_notes_updated_at: notes.at })
}

export function recordCategory(tx: Transaction, id: number, categoryId: number | null): Promise<void> {
  return updateSession(tx, id, { category_id: categoryId })
}

export function recordFavorite(tx: Transaction, id: number, isFavorite: boolean): Promise<void> {
  return updateSession(tx, id, { favorited: isFavorite })
}

export function recordVisibility(
  tx: Transaction,
  id: number,
  choice: Pick<SessionRow, 'visibility' | 'snoozed_until'>,
): Promise<void> {
  return updateSession(tx, id, choice)
}

export function recordHeartbeatSettings(
  tx: Transaction,
  id: number,
  settings: Partial<Pick<SessionRow, 'heartbeat_enabled' | 'heartbeat_interval_seconds'>>,
): Promise<void> {
  return updateSession(tx, id, settings)
}
