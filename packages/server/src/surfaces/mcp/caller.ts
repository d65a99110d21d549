import { SessionRef } from '@yardmaster/contract/identifiers'
import type { App } from '../../domain/app.ts'
import { findSessionIdByTurnKey, isTurnKey } from '../../domain/inbox/inbox.ts'
import { findSession, isWithinTree, subagentRootsOf } from '../../domain/sessions/session.ts'
import type { ApiKeys } from '../../platform/http/api-keys.ts'
import { refuse } from '../../platform/refusal.ts'
import type { BoundCall } from './bound-call.ts'
import { type Group, groupNames } from './tool.ts'

/** Whoever calls, and how far that reaches. */
export type Caller = {
  groups: readonly Group[]
  /** The session whose agent it is. Undefined for the holder of an API key, who may do everything. */
  ownSessionId: number | undefined
  /** The session that is meant where none is named. */
  defaultSession: string | undefined
  /** The roots that sessions may be started on; undefined for all. */
  roots: readonly string[] | undefined
}

type Presented = { key: string | undefined; query: Record<string, unknown> }

/** By the key, which decides; the address can only ask for less. */
export async function identify(app: App, keys: ApiKeys, { key = '', query }: Presented): Promise<Caller> {
  const wished = { groups: namesIn(query.tool_groups), roots: namesIn(query.allowed_agent_roots) }
  const ownSessionId = keys.accepts(key) || !isTurnKey(key) ? undefined : await findSessionIdByTurnKey(app.db, key)
  if (ownSessionId === undefined) {
    if (!keys.accepts(key)) refuse('unauthorized', 'Invalid or missing API key')
    const { session_id: session } = query
    return {
      groups: groupsOf(wished.groups, groupNames),
      ownSessionId,
      defaultSession: typeof session === 'string' && session !== '' ? session : undefined,
      roots: wished.roots,
    }
  }
  const granted = subagentRootsOf(app, await findSession(app.db, { id: ownSessionId }))
  return {
    groups: groupsOf(wished.groups, granted.length > 0 ? groupNames : ['self_session']),
    ownSessionId,
    defaultSession: String(ownSessionId),
    roots: wished.roots ? granted.filter((root) => wished.roots?.includes(root)) : granted,
  }
}

function namesIn(list: unknown): string[] | undefined {
  if (typeof list !== 'string') return undefined
  return list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

/** Names that we do not know, or that this key is not for, are as good as not said. Without any it is the largest. */
function groupsOf(wished: readonly string[] | undefined, granted: readonly Group[]): Group[] {
  const most: Group = granted.includes('sessions') ? 'sessions' : 'self_session'
  return wished ? granted.filter((group) => wished.includes(group)) : [most]
}

/** Whether a caller may use the call at all, whatever its arguments are. */
export function isOpenTo({ ownSessionId, roots }: Caller, action: string, { endpoint }: BoundCall): boolean {
  if (roots && (action === 'change_mcp_servers' || action === 'change_plugins')) return false
  if (ownSessionId === undefined) return true
  const isAboutOne = /^\/sessions\/\{/.test(endpoint.path)
  const isStart = endpoint.path === '/sessions' && endpoint.method === 'POST'
  return isAboutOne || isStart || endpoint.path === '/configs'
}

/** An agent reaches its own session and those that come from it. */
export async function refuseOutOfReach(app: App, { ownSessionId }: Caller, named: unknown): Promise<void> {
  if (ownSessionId === undefined || named === undefined) return
  const { data: ref } = SessionRef.safeParse(String(named))
  const session = ref && (await findSession(app.db, ref))
  if (!session || !(await isWithinTree(app.db, { root: ownSessionId, session: session.id })))
    refuse('not_found', `Session ${named} is not yours, nor one that came from yours`)
}

/** What a new session is given by the caller that starts it: a parent, if it is an agent, and only what its roots allow. */
export function asStartedBy(app: App, { ownSessionId, roots }: Caller, body: Record<string, unknown>) {
  if (roots) {
    const { agent_root: name, mcp_servers: servers } = body
    const root = typeof name === 'string' && roots.includes(name) ? app.catalog.current().roots.find(name) : undefined
    if (!root) refuse('invalid_agent_root', `Agent root must be one of: ${roots.join(', ')}`)
    const isDefault = Array.isArray(servers) && sameNames(servers, root.defaultMcpServers)
    if (servers !== undefined && !isDefault)
      refuse('validation_failed', `Mcp servers must be those of the root: ${JSON.stringify(root.defaultMcpServers)}`)
    if (body.git_root !== undefined || body.catalog_plugins !== undefined)
      refuse('validation_failed', 'Git root and plugins are those of the root and cannot be chosen here')
  }
  return ownSessionId === undefined ? body : { ...body, parent_session_id: ownSessionId }
}

function sameNames(one: readonly unknown[], other: readonly string[]): boolean {
  return JSON.stringify(one.map(String).toSorted()) === JSON.stringify([...other].toSorted())
}
