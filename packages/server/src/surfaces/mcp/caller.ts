import { SessionRef } from '@yardmaster/contract/identifiers'
import type { App } from '../../domain/app.ts'
import { findInTree } from '../../domain/hierarchy/hierarchy.ts'
import { findSessionIdByTurnKey, isTurnKey } from '../../domain/inbox/inbox.ts'
import { findSession } from '../../domain/sessions/session.ts'
import { subagentRootsOf } from '../../domain/workspaces/workspace.ts'
import type { KeyCheck } from '../../platform/http/key-check.ts'
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

type Presented = { key: string; address: string | undefined; query: Readonly<Record<string, unknown>> }

/** By the key, which decides; the address can only ask for less. */
export async function identify(app: App, keys: KeyCheck, { key, address, query }: Presented): Promise<Caller> {
  const roots = namesIn(query.allowed_agent_roots)
  if (!isTurnKey(key)) {
    if (!keys.accepts(key, address)) refuse('unauthorized', 'Invalid or missing API key')
    const { session_id: session } = query
    return {
      groups: groupsFor(app, query.tool_groups, groupNames),
      ownSessionId: undefined,
      defaultSession: typeof session === 'string' && session !== '' ? session : undefined,
      roots,
    }
  }
  const ownSessionId = await findSessionIdByTurnKey(app.db, key)
  if (ownSessionId === undefined) return refuse('unauthorized', 'Invalid or missing API key')
  const granted = subagentRootsOf(app, await findSession(app.db, { id: ownSessionId }))
  return {
    groups: groupsFor(app, query.tool_groups, granted.length > 0 ? groupNames : ['self_session']),
    ownSessionId,
    defaultSession: String(ownSessionId),
    roots: roots ? granted.filter((root) => roots.includes(root)) : granted,
  }
}

/** Said once with commas or several times, it is all of it. */
function namesIn(said: unknown): string[] | undefined {
  if (said === undefined) return undefined
  return [said]
    .flat()
    .flatMap((list) => String(list).split(','))
    .map((name) => name.trim())
    .filter(Boolean)
}

/** Names that we do not know, or that this key is not for, are left out. Without any it is the largest. */
function groupsFor(app: App, said: unknown, granted: readonly Group[]): Group[] {
  const wished = namesIn(said)
  if (!wished) return [granted.includes('sessions') ? 'sessions' : 'self_session']
  const unknown = wished.filter((name) => !granted.some((group) => group === name))
  if (unknown.length > 0) app.log.debug({ unknown }, 'somebody asked for groups of tools that there are not')
  return granted.filter((group) => wished.includes(group))
}

/** Whether a caller may use the call at all, whatever its arguments are. */
export function isOpenTo({ ownSessionId, roots }: Caller, call: BoundCall): boolean {
  if (roots && call.closedTo === 'bound') return false
  if (roots?.length === 0 && call.isStart) return false
  if (ownSessionId === undefined) return true
  if (call.closedTo === 'agents') return false
  return call.target !== undefined || call.isStart || call.endpoint.path === '/configs'
}

/** Which of the arguments of a new session are not this caller's to choose. */
export function isGiven({ ownSessionId, roots }: Caller, argument: string): boolean {
  if (ownSessionId !== undefined && argument === 'parent_session_id') return true
  return roots !== undefined && ['git_root', 'plugins'].includes(argument)
}

/** The session that is named, as far as the caller reaches: an agent reaches its own and those that come from it. */
export async function reach(app: App, { ownSessionId }: Caller, named: unknown): Promise<string> {
  if (ownSessionId === undefined) return String(named)
  const { data: ref } = SessionRef.safeParse(String(named))
  const id = ref && (await findInTree(app.db, ownSessionId, ref))
  return id === undefined
    ? refuse('not_found', 'There is no such session among yours and those that came from it')
    : String(id)
}

/**
 * What a new session is given by the caller that starts it: a parent, if it is an agent, and only what its roots allow. An
 * agent's keys are its own, or it could have the session of somebody else shown by guessing the key.
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
