import { lostReasons } from '@yardmaster/contract/elicitations/fields'
import type { JsonObject } from '@yardmaster/contract/json'
import { z } from 'zod'

/** An optional key. A broken value reads as absent, so that it does not hide the others. */
function soft<Value extends z.ZodType>(value: Value) {
  return value.optional().catch(undefined)
}

/**
 * The service's own bookkeeping about a session: the column `metadata`, which callers read as it is. Every key the
 * service writes is declared here, `readMetadata` is the only reader, `metadata-store.ts` the only writer. Rows written by another version may
 * hold further keys; those stay untouched.
 */
const Metadata = z.object({
  /** The catalog root the session was created from. */
  agent_root_key: soft(z.string()),
  /** Its root demanded when it was created that people decide what the agent may do. Lasts beyond the root. */
  asks_people: soft(z.literal(true)),
  catalog_version: soft(z.string()),
  /** The caller asked for no MCP servers, so defaults do not fill the list. */
  mcp_servers_explicitly_empty: soft(z.literal(true)),
  /** The title is a placeholder that a generated title may replace. */
  auto_generated_title: soft(z.literal(true)),
  forked_from_session_id: soft(z.int()),
  forked_at_message_index: soft(z.int()),

  clone_path: soft(z.string()),
  working_directory: soft(z.string()),
  /** An agent process has been up for this session. */
  runtime_started: soft(z.literal(true)),
  process_pid: soft(z.int()),

  failure_reason: soft(z.string()),
  exit_status: soft(z.string()),
  oauth_required_servers: soft(z.array(z.object({ server_name: z.string(), server_url: z.string() }))),
  oauth_complete: soft(z.literal(true)),

  paused_by: soft(z.enum(['user', 'spot_quota'])),
  /** The session goes to sleep when its running turn ends. */
  pending_sleep: soft(z.literal(true)),
  deliberate_sleep_at: soft(z.string()),

  spot_hold_at: soft(z.string()),
  spot_hold_reason: soft(z.string()),
  spot_hold_detail: soft(z.string()),
  /** The accounts of the runtime reached a quota target while the turn ran. How often that happened is kept. */
  spot_pause_at: soft(z.string()),
  spot_pause_reason: soft(z.string()),
  spot_pause_detail: soft(z.string()),
  spot_pause_count: soft(z.int()),

  /** A budget ended the turn. It goes on when the budget allows it, or when a person resumes the session. */
  stopped_by_budget: soft(z.literal(true)),
  /** Its agent reported model calls that cannot have been made. */
  has_suspect_calls: soft(z.literal(true)),
  /** The last turn that was started although a budget was spent: priority turns never wait. */
  over_budget_turn_id: soft(z.string()),
  /** The account that serves or served last, or why the turn waits for one, and when a window of the pool clears. */
  auth_identity_email: soft(z.string()),
  auth_outage_reason: soft(z.enum(['quota_exhausted', 'auth_unrecoverable'])),
  auth_outage_parked_at: soft(z.string()),
  auth_outage_pool_recovers_at: soft(z.string()),

  /** The agent waits for a person's answer; its turn goes on. */
  blocked_on_elicitation: soft(z.literal(true)),
  /** The last question that no person answered, or whose answer did not reach the agent. */
  lost_elicitation: soft(
    z.object({ reason: z.enum(lostReasons), at: z.string(), request_id: z.string(), summary: z.string() }),
  ),

  heartbeat_last_beat_at: soft(z.string()),
  /** The trigger that spawned the session, and its name at that time. */
  trigger_id: soft(z.int()),
  trigger_name: soft(z.string()),
  /** The session only reports that its trigger fired too often. */
  burst_notice: soft(z.literal(true)),
  /** The pull requests that the session's agent opened or its caller named. */
  pull_requests: soft(z.array(z.object({ url: z.string(), state: z.string(), has_conflict: z.boolean() }))),
})

export type SessionMetadata = z.infer<typeof Metadata>
export type MetadataKey = keyof SessionMetadata
export type MetadataTimeKey = Extract<MetadataKey, `${string}_at`>

/** The column as it is stored. The type has no keys: `readMetadata` parses it. */
export type StoredMetadata = object

export function readMetadata({ metadata }: { metadata: StoredMetadata }): SessionMetadata {
  return Metadata.parse(metadata)
}

/** As callers read it: with unknown keys and broken values. */
export function presentMetadata({ metadata }: { metadata: StoredMetadata }): JsonObject {
  return metadata as JsonObject // a check constraint keeps the column an object
}

export const outageKeys = ['auth_outage_reason', 'auth_outage_parked_at', 'auth_outage_pool_recovers_at'] as const

/** Set while the session waits for a person to authorise MCP servers. */
export const authorizationKeys = ['failure_reason', 'oauth_required_servers'] as const satisfies readonly MetadataKey[]

/** Set while the turn of a spot session is paused because of a quota target. */
export const pauseKeys = ['paused_by', 'spot_pause_at', 'spot_pause_reason', 'spot_pause_detail'] as const

/** About questions to people; obsolete when a question is answered. */
export const questionKeys = ['blocked_on_elicitation', 'lost_elicitation'] as const satisfies readonly MetadataKey[]

/** Why a session is at rest: obsolete as soon as it resumes. */
export const restKeys = [
  ...authorizationKeys,
  'exit_status',
  ...pauseKeys,
  'pending_sleep',
  'deliberate_sleep_at',
  ...questionKeys,
  ...outageKeys,
] as const satisfies readonly MetadataKey[]

/** Set while the session's turn waits for a free slot, for a quota or for a budget. */
export const holdKeys = [
  'spot_hold_at',
  'spot_hold_reason',
  'spot_hold_detail',
  'stopped_by_budget',
  ...pauseKeys,
] as const

/** Where the session's files and process are; obsolete when the session is set up from scratch. */
export const setupKeys = ['clone_path', 'working_directory', 'process_pid', 'runtime_started'] as const
