import type { Method } from '@yardmaster/contract/endpoint'

export const groupNames = [
  'sessions',
  'sessions_readonly',
  'triggers',
  'triggers_readonly',
  'notifications',
  'notifications_readonly',
  'health',
  'health_readonly',
  'work_backlog',
  'gate_decisions',
  'self_session',
] as const
export type Group = (typeof groupNames)[number]

/**
 * What agents may do only where their root allows it: end the turn of another session, bring one back, read figures of the
 * whole service, maintain it, or use the queue of work or the ledger of gates.
 */
export const agentPermissions = [
  'force_immediate',
  'unarchive_parent',
  'see_operations',
  'maintain',
  'work_backlog',
  'gate_decisions',
] as const
export type AgentPermission = (typeof agentPermissions)[number]

/**
 * A name that agents call, backed by endpoints. Rooms that name the same tool add their actions to it; one of them says what
 * the tool is about.
 */
export type Tool = {
  name: string
  groups: readonly Group[]
  about?: string
  /** Calls by action name. */
  calls: Readonly<Record<string, Call>>
  /** Selects the call from the arguments; without it the `action` argument does. */
  choose?(args: Readonly<Record<string, unknown>>): string
}

/** An endpoint as a tool calls it. The endpoint's schemas and refusals apply. */
export type Call = {
  endpoint: `${Method} /${string}`
  /** `agents`: not for agents. `bound`: not for any caller that is limited to roots. */
  closedTo?: 'agents' | 'bound'
  /** The call is about no session, and its endpoint decides whether the calling agent may. */
  decidesByAgent?: true
  /** The argument that names the session the call is about, where its path names none. */
  session?: string
  /** An agent may use the call only where its root allows this. */
  needs?: AgentPermission
  /** Argument names by endpoint field, where they differ. */
  from?: Readonly<Record<string, string>>
  /** Arguments that name sessions besides the one the call is about. The caller must be able to reach them too. */
  reaches?: readonly string[]
  /** Further arguments with their schemas. `prepare` turns them into those of the endpoint. */
  adds?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Rewrites or refuses the arguments before they are checked. `before` is the answer of the endpoint that `consults` names. */
  prepare?(args: Readonly<Record<string, unknown>>, before: unknown): Readonly<Record<string, unknown>>
  consults?: Address
  /** Restricts query and body to these fields of the endpoint. */
  takes?: readonly string[]
  /** Query values that always apply, and query values used where the caller gives none. */
  fixed?: Readonly<Record<string, string>>
  defaults?: Readonly<Record<string, string>>
  /** Shows only these fields of the answer. */
  shows?: readonly string[]
  /** Shows only these fields of each row, unless `verbose` is set. */
  brief?: readonly string[]
  /** Truncates texts to this many characters; `isWhole` and `verbose` turn truncation off. */
  cut?: number
  isWhole?: boolean
  /** Additional calls, each under its own heading: always, or if the argument named by `when` is true. */
  also?: Readonly<Record<string, Call & { when?: string }>>
}

type Address = Call['endpoint']

/** Fields that identify a session in a list or after a change. */
export const brief = ['id', 'slug', 'title', 'status', 'agent_runtime', 'scheduling_class', 'category', 'updated_at']

/** A call on the session that the argument `session_id` names. */
export function onSession(endpoint: Address, more: Omit<Call, 'endpoint'> = {}): Call {
  return { endpoint, ...more, from: { id: 'session_id', ...more.from } }
}

/** A call that changes a session and shows the result. */
export function act(endpoint: Address, more: Omit<Call, 'endpoint'> = {}): Call {
  return onSession(endpoint, { brief, ...more })
}
