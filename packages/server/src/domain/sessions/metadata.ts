import { z } from 'zod'

/**
 * The service's own bookkeeping about a session: the column `metadata`, which callers read as it is. Every key the
 * service writes is declared here. Rows written by another version may hold further keys; those stay untouched.
 */
export const SessionMetadata = z.object({
  /** The catalog root the session was created from. */
  agent_root_key: z.string().optional(),
  catalog_version: z.string().optional(),
  /** The caller asked for no MCP servers, so defaults do not fill the list. */
  mcp_servers_explicitly_empty: z.literal(true).optional(),
  /** The title is a placeholder that a generated title may replace. */
  auto_generated_title: z.literal(true).optional(),
  forked_from_session_id: z.int().optional(),
  forked_at_message_index: z.int().optional(),

  clone_path: z.string().optional(),
  working_directory: z.string().optional(),
  /** An agent process has been up for this session. */
  runtime_started: z.literal(true).optional(),
  process_pid: z.int().optional(),

  failure_reason: z.string().optional(),
  exit_status: z.string().optional(),
  oauth_required_servers: z.array(z.object({ server_name: z.string(), server_url: z.string() })).optional(),

  paused_by: z.literal('user').optional(),
  /** The session goes to sleep when its running turn ends. */
  pending_sleep: z.literal(true).optional(),
  deliberate_sleep_at: z.string().optional(),

  spot_hold_at: z.string().optional(),
  spot_hold_reason: z.string().optional(),
  spot_hold_detail: z.string().optional(),

  heartbeat_last_beat_at: z.string().optional(),
})

export type SessionMetadata = z.infer<typeof SessionMetadata>
export type MetadataKey = keyof SessionMetadata

/** Why a session is at rest: obsolete as soon as it resumes. */
export const restKeys = [
  'failure_reason',
  'exit_status',
  'paused_by',
  'pending_sleep',
  'deliberate_sleep_at',
] as const satisfies readonly MetadataKey[]

/** Set while the session's turn waits for a free slot. */
export const holdKeys = [
  'spot_hold_at',
  'spot_hold_reason',
  'spot_hold_detail',
] as const satisfies readonly MetadataKey[]

/** Where the session's files and process are; obsolete when the session is set up from scratch. */
export const setupKeys = [
  'clone_path',
  'working_directory',
  'process_pid',
  'runtime_started',
] as const satisfies readonly MetadataKey[]

/** Set while the session waits for a person to authorise MCP servers. */
export const authorizationKeys = ['failure_reason', 'oauth_required_servers'] as const satisfies readonly MetadataKey[]
