import type { Session } from './session-facts.ts'

export type Server = { server_name: string; server_url: string }
type PullRequest = { url: string; state: string; has_conflict: boolean }
type LostQuestion = { reason: string; at: string; summary: string }

/** What the service's own bookkeeping says. Another version may have written it, so each value is checked. */
export function factsOf({ metadata }: Pick<Session, 'metadata'>) {
  const text = (key: string) => (typeof metadata[key] === 'string' ? metadata[key] : undefined)
  const lost = metadata.lost_elicitation
  return {
    root: text('agent_root_key'),
    failureReason: text('failure_reason'),
    failureDetail: text('exit_status'),
    oauthServers: listOf<Server>(metadata.oauth_required_servers, 'server_url'),
    isPaused: metadata.paused_by === 'user',
    isAboutToSleep: metadata.pending_sleep === true,
    asleepSince: text('deliberate_sleep_at'),
    outageSince: text('auth_outage_parked_at'),
    outageEnds: text('auth_outage_pool_recovers_at'),
    heldSince: text('spot_pause_at') ?? text('spot_hold_at'),
    heldReason: text('spot_pause_reason') ?? text('spot_hold_reason'),
    heldDetail: text('spot_pause_detail') ?? text('spot_hold_detail'),
    isStoppedByBudget: metadata.stopped_by_budget === true,
    lostQuestion: isObject(lost) ? (lost as LostQuestion) : undefined,
    pullRequests: listOf<PullRequest>(metadata.pull_requests, 'url'),
    forkedFrom: typeof metadata.forked_from_session_id === 'number' ? metadata.forked_from_session_id : undefined,
    triggerId: typeof metadata.trigger_id === 'number' ? metadata.trigger_id : undefined,
    triggerName: text('trigger_name'),
    clonePath: text('clone_path'),
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function listOf<Item>(value: unknown, key: keyof Item & string): readonly Item[] {
  if (!Array.isArray(value)) return []
  return value.filter((one: unknown) => isObject(one) && typeof Reflect.get(one, key) === 'string') as Item[]
}
