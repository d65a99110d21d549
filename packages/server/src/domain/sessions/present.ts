import type { Session } from '@yardmaster/contract/sessions/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { shownAddress } from '../../platform/git/repository-address.ts'
import { type CatalogTree, serversOf } from '../catalog/catalog.ts'
import { presentMetadata } from './metadata.ts'
import type { ClassByGenesis } from './session-store.ts'
import type { SessionWithCategory } from './session-table.ts'

/** The only serializer of a session: every endpoint uses it. */
export function presentSession(
  row: SessionWithCategory,
  context: { now: Date; classByGenesis: ClassByGenesis; catalog: CatalogTree },
): Session {
  const isSnoozeOver = row.visibility === 'snoozed' && row.snoozed_until !== null && row.snoozed_until <= context.now
  return {
    id: row.id,
    slug: row.slug,
    idempotency_key: row.idempotency_key,
    title: row.title,
    status: row.status,
    agent_runtime: row.agent_runtime,
    genesis: row.genesis,
    scheduling_class: row.scheduling_class,
    priority_class: row.scheduling_class ?? context.classByGenesis[row.genesis],
    precedence: row.precedence,
    prompt: row.prompt,
    git_root: shownAddress(row.git_root),
    branch: row.branch,
    subdirectory: row.subdirectory,
    goal: row.goal,
    mcp_servers: row.mcp_servers,
    all_mcp_servers: [...new Set([...serversOf(context.catalog, row), ...row.injected_mcp_servers])],
    injected_mcp_servers: row.injected_mcp_servers,
    catalog_skills: row.catalog_skills,
    catalog_hooks: row.catalog_hooks,
    catalog_plugins: row.catalog_plugins,
    config: row.config,
    metadata: presentMetadata(row),
    custom_metadata: row.custom_metadata,
    is_autonomous: row.is_autonomous,
    heartbeat_enabled: row.heartbeat_enabled,
    heartbeat_interval_seconds: row.heartbeat_interval_seconds,
    auto_compact_window: row.auto_compact_window,
    category_id: row.category_id,
    category: presentCategory(row),
    session_id: row.session_id,
    job_id: row.job_id,
    running_job_id: row.running_job_id,
    archived_at: presentTime(row.archived_at),
    trash_after: presentTime(row.trash_after),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    session_notes: row.session_notes,
    session_notes_updated_at: presentTime(row.session_notes_updated_at),
    favorited: row.favorited,
    visibility: row.visibility,
    effective_visibility: isSnoozeOver ? 'visible' : row.visibility,
    snoozed_until: presentTime(row.snoozed_until),
  }
}

function presentCategory(row: SessionWithCategory): Session['category'] {
  const { category_id: id, category_name: name, category_position: position, category_is_frozen: is_frozen } = row
  return id === null || name === null || position === null || is_frozen === null
    ? null
    : { id, name, position, is_frozen }
}

function presentTime(time: Date | null): string | null {
  return time && formatTimestamp(time)
}
