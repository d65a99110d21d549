import { SessionRef } from '@yardmaster/contract/identifiers'
import type { App } from '../../domain/app.ts'
import { findInTree } from '../../domain/hierarchy/hierarchy.ts'
import { findSessionIdByTurnKey, isTurnKey } from '../../domain/inbox/inbox.ts'
import { findSession, readMetadata } from '../../domain/sessions/session.ts'
import { type AgentPermission, agentPermissions, type Group, groupNames } from '../../domain/tool.ts'
import { ownGroupsOf, rootOf, subagentRootsOf } from '../../domain/workspaces/workspace.ts'
import type { KeyCheck } from '../../platform/http/key-check.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { BoundCall } from './bound-call.ts'

/** The caller of a request and its permissions. */
export type Caller = {
  /** The key that was presented. */
  key: string
  /** Of an API key. */
  label: string | undefined
  /** Where the request comes from, for the audit log. */
  from: { address: string | undefined; requestId: string }
  /** An API key that may only read is offered only what reads. */
  isReadOnly: boolean
  groups: readonly Group[]
  /** The session of the calling agent. Undefined for an API key, which has full access. */
  ownSessionId: number | undefined
  /** The session to use where a call names none. */
  defaultSession: string | undefined
  /** The roots on which the caller may start sessions; undefined for all. */
  roots: readonly string[] | undefined
  /** What only some agents may do. An API key may do all of it. */
  permissions: readonly AgentPermission[]
}

type Presented = { key: string; from: Caller['from']; query: Readonly<Record<string, unknown>> }

/** The key sets the permissions; the query can only narrow them. */
export async function identify(app: App, keys: KeyCheck, { key, from, query }: Presented): Promise<Caller> {
  const roots = namesIn(query.allowed_agent_roots)
  if (!isTurnKey(key)) {
    const holder = await keys.find(key, from.address)
    if (!holder) return refuse('unauthorized', 'Invalid or missing API key')
    const { session_id: session } = query
    return {
      key,
      label: holder.label,
      from,
      isReadOnly: holder.scope === 'read',
      groups: groupsFor(app, query.tool_groups, groupNames),
      ownSessionId: undefined,
      defaultSession: typeof session === 'string' && session !== '' ? session : undefined,
      roots,
      // A key that is limited to some roots does not maintain the whole service.
      permissions: agentPermissions.filter((permission) => !(roots && permission === 'maintain')),
    }
  }
  const ownSessionId = await findSessionIdByTurnKey(app.db, key)
  if (ownSessionId === undefined) return refuse('unauthorized', 'Invalid or missing API key')
  const session = await findSession(app.db, { id: ownSessionId })
  const granted = subagentRootsOf(app, session)
  return {
    key,
    label: undefined,
    from,
    isReadOnly: false,
    groups: groupsFor(app, query.tool_groups, granted.length > 0 ? groupNames : ownGroupsOf(app, session)),
    ownSessionId,
    defaultSession: String(ownSessionId),
    roots: roots ? granted.filter((root) => roots.includes(root)) : granted,
    permissions: rootOf(app, session)?.allowsAgents ?? [],
  }
}

/** Accepts a comma-separated value and a repeated parameter. */
function namesIn(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  return [value]
    .flat()
    .flatMap((list) => String(list).split(','))
    .map((name) => name.trim())
    .filter(Boolean)
}

/** Ignores unknown groups and groups that the key does not grant. Defaults to the largest groups granted. */
function groupsFor(app: App, value: unknown, granted: readonly Group[]): Group[] {
  const requested = namesIn(value)
  if (!requested)
    return granted.includes('sessions') ? ['sessions', 'triggers', 'notifications', 'health'] : [...granted]
  const unknown = requested.filter((name) => !granted.some((group) => group === name))
  if (unknown.length > 0) app.log.debug({ unknown }, 'ignored unknown or ungranted tool groups')
  return granted.filter((group) => requested.includes(group))
}

/** Whether the caller may use the call at all, regardless of its arguments. */
export function isOpenTo({ ownSessionId, roots, permissions, isReadOnly }: Caller, call: BoundCall): boolean {
  if (isReadOnly && call.endpoint.method !== 'GET') return false
  if (call.needs && !permissions.includes(call.needs)) return false
  if (roots && call.closedTo === 'bound') return false
  if (roots?.length === 0 && call.isStart) return false
  if (ownSessionId === undefined) return true
  if (call.closedTo === 'agents') return false
  const isOnRoots = isAboutTriggers(call) && roots !== undefined && roots.length > 0
  const isDecidedElsewhere = call.decidesByAgent === true || call.endpoint.path === '/configs'
  return call.target !== undefined || call.isStart || isDecidedElsewhere || isOnRoots
}

/** Whether an argument is not the caller's to choose. */
export function isFixed({ ownSessionId, roots, permissions }: Caller, call: BoundCall, argument: string): boolean {
  if (isPermission(argument)) return !permissions.includes(argument)
  if (isAboutTriggers(call)) return roots !== undefined && fixedOnTriggers.includes(argument)
  if (!call.isStart) return false
  if (ownSessionId !== undefined && argument === 'parent_session_id') return true
  return roots !== undefined && fixedByRoot.includes(argument)
}

/**
 * A session that a bound caller starts has what its root gives it. With other hooks or another runtime it could do what the
 * guards of the root prevent, and with another class it would run before the sessions of others.
 */
const fixedByRoot = ['git_root', 'plugins', 'hooks', 'skills', 'agent_runtime', 'scheduling_class']

/** Likewise for the sessions that a trigger of a bound caller spawns. */
const fixedOnTriggers = ['mcp_servers', 'catalog_skills', 'catalog_hooks', 'catalog_plugins', 'scheduling_class']

export function isAboutTriggers({ endpoint }: BoundCall): boolean {
  return endpoint.path.startsWith('/triggers')
}

export function isPermission(argument: string): argument is AgentPermission {
  return agentPermissions.some((permission) => permission === argument)
}

/** A further session that a call names: for a caller limited to roots, one on those roots. */
export async function reachOther(app: App, caller: Caller, named: unknown): Promise<string> {
  const { roots, ownSessionId } = caller
  if (ownSessionId !== undefined || !roots) return reach(app, caller, named)
  const { data: ref } = SessionRef.safeParse(String(named))
  const session = ref && (await findSession(app.db, ref))
  const root = session && readMetadata(session).agent_root_key
  return session && root !== undefined && roots.includes(root) ? String(session.id) : refuseMissing()
}

/** Resolves a session argument. An agent reaches its own session and that session's descendants. */
export async function reach(app: App, { ownSessionId }: Caller, named: unknown): Promise<string> {
  if (ownSessionId === undefined) return String(named)
  const { data: ref } = SessionRef.safeParse(String(named))
  const id = ref && (await findInTree(app.db, ownSessionId, ref))
  return id === undefined ? refuse('not_found', 'Session not found among yours and its descendants') : String(id)
}

/**
 * The body of a new session, restricted to the caller's roots, with the agent's session as parent. An agent's idempotency
 * key is scoped to its session; otherwise guessing a key would reveal the session of another caller.
 */
export function asStartedBy(app: App, { ownSessionId, roots }: Caller, body: Readonly<Record<string, unknown>>) {
  if (roots) {
    const { agent_root: name, mcp_servers: servers } = body
    const root = typeof name === 'string' && roots.includes(name) ? app.catalog.current().roots.find(name) : undefined
    if (!root) return refuse('invalid_agent_root', `Agent root must be one of: ${roots.join(', ')}`)
    if (Array.isArray(servers) && !isSame(servers, root.defaultMcpServers))
      refuse('validation_failed', `Mcp servers must be those of the root: ${JSON.stringify(root.defaultMcpServers)}`)
  }
  if (ownSessionId === undefined) return body
  const { idempotency_key: key } = body
  return {
    ...body,
    parent_session_id: ownSessionId,
    ...(typeof key === 'string' && key !== '' && { idempotency_key: `session ${ownSessionId}: ${key}` }),
  }
}

function isSame(one: readonly unknown[], other: readonly string[]): boolean {
  return JSON.stringify(one.map(String).toSorted()) === JSON.stringify([...other].toSorted())
}
