import { estimatedCosts, itemStatuses } from '@yardmaster/contract/backlog/vocabulary'
import { gates } from '@yardmaster/contract/gates/fields'
import { logLevels } from '@yardmaster/contract/logs/fields'
import { sessionStatuses } from '@yardmaster/contract/sessions/fields'
import { triggerStatuses } from '@yardmaster/contract/triggers/fields'
import { accessResources } from './access-resources.ts'
import { accountResources } from './account-resources.ts'
import { credentialResources } from './credential-resources.ts'
import { id, text } from './key-patterns.ts'
import { ledgerResources } from './ledger-resources.ts'

/** What may be done with a record: one operation of the API, with the fields of its body that the form offers. */
export type RecordForm = {
  /** The name of the operation, which checks and writes. */
  operation: string
  button: string
  /** Without fields it is a button. */
  fields?: readonly string[]
  /** Where the path names a parameter otherwise than the column that has its value. */
  params?: Readonly<Record<string, string>>
  /** The key of the body whose list has the record among others: the fields are those of its entry. */
  entryOf?: string
  isDangerous?: boolean
  /** The record has no page afterwards. */
  isLast?: boolean
}

export type Resource = {
  /** The last part of the address. */
  name: string
  title: string
  /** What one record is called. */
  one: string
  about: string
  table: string
  /** The column by which records are found and ordered, and what its values look like. */
  key: string
  keyPattern: RegExp
  isAscending?: boolean
  /** Columns of the list, in order. */
  listed: readonly string[]
  /** Further columns of the page. A column that is in neither is never read: so no secret is shown. */
  shown: readonly string[]
  /** Columns that are never shown, with the reason. A test makes sure that each column is in one of the three lists. */
  withheld?: Readonly<Record<string, string>>
  /** Columns that the list can be narrowed by: to one of few values, or to values of a pattern. */
  filters: Readonly<Record<string, readonly string[] | RegExp>>
  forms: readonly RecordForm[]
  /** How a record is made. `shows`: the key of the answer that is shown once, with what it is. */
  creates?: RecordForm & { shows: { key: string; about: string } }
  /** The page where a record is made, if there is one. */
  start?: { href: string; label: string }
}

const fence = 'proves to the service which run may write'
const ofSession = { session_id: id }

const saving = (operation: string, fields: readonly string[]): RecordForm => ({ operation, button: 'Save', fields })
const deletion = (operation: string): RecordForm => ({ operation, button: 'Delete', isDangerous: true, isLast: true })

/** What most resources have. */
const usual = { key: 'id', keyPattern: id, filters: {}, forms: [] }

type Declared = Omit<Resource, keyof typeof usual> & Partial<Resource>

/** Everything that `/supervisor` shows. Pages, filters and forms are made from this table. */
const declared: readonly Declared[] = [
  {
    name: 'sessions',
    title: 'Sessions',
    one: 'Session',
    about: 'Conversations with agents, with their repositories and states.',
    table: 'sessions',
    listed: ['id', 'title', 'status', 'agent_runtime', 'genesis', 'git_root', 'updated_at'],
    shown: [
      ...['slug', 'goal', 'prompt', 'branch', 'subdirectory', 'scheduling_class', 'precedence', 'parent_session_id'],
      ...['summary_of_session_id', 'category_id', 'sort_order', 'favorited', 'visibility', 'snoozed_until'],
      ...['session_notes', 'session_notes_updated_at', 'is_autonomous', 'heartbeat_enabled'],
      ...['heartbeat_interval_seconds', 'auto_compact_window', 'mcp_servers', 'injected_mcp_servers'],
      ...['catalog_skills', 'catalog_hooks', 'catalog_plugins', 'config', 'metadata', 'custom_metadata'],
      ...['session_id', 'host_id', 'job_id', 'running_job_id', 'archived_at', 'trash_after', 'created_at'],
      'idempotency_key',
    ],
    filters: { status: sessionStatuses, agent_runtime: text },
    forms: [
      saving('sessions.update', [
        ...['title', 'slug', 'goal', 'is_autonomous', 'scheduling_class', 'precedence', 'custom_metadata'],
      ]),
      { operation: 'sessions.update_notes', button: 'Save the notes', fields: ['session_notes'] },
      { operation: 'sessions.set_category', button: 'Move', fields: ['category_id'] },
      { operation: 'sessions.pause', button: 'Pause' },
      { operation: 'sessions.restart', button: 'Restart' },
      { operation: 'sessions.unarchive', button: 'Unarchive' },
      { operation: 'sessions.archive', button: 'Archive', fields: ['force'], isDangerous: true },
      deletion('sessions.delete'),
    ],
  },
  ...accessResources,
  {
    name: 'triggers',
    title: 'Triggers',
    one: 'Trigger',
    about: 'What starts or resumes sessions.',
    table: 'triggers',
    listed: ['id', 'name', 'status', 'agent_root_name', 'sessions_created_count', 'last_triggered_at', 'last_error'],
    shown: [
      ...['prompt_template', 'goal', 'reuse_session', 'enqueue_messages', 'resuscitate_archived'],
      ...['skip_if_pending_session', 'max_sessions_per_minute', 'coalesce_window_seconds', 'scheduling_class'],
      ...['precedence', 'mcp_servers', 'catalog_skills', 'catalog_hooks', 'catalog_plugins'],
      ...['unresolved_references', 'last_session_id', 'made_by_session_id', 'missed_fire_count'],
      ...['first_missed_fire_at', 'burst_window_started_at', 'burst_window_count', 'burst_window_session_ids'],
      ...['burst_ends_at', 'suppressed_event_count', 'failed_attempts', 'failed_at', 'created_at', 'updated_at'],
    ],
    filters: { status: triggerStatuses, agent_root_name: text },
    forms: [
      saving('triggers.update', [
        ...['name', 'status', 'agent_root_name', 'prompt_template', 'goal', 'reuse_session', 'last_session_id'],
        ...['enqueue_messages', 'resuscitate_archived', 'skip_if_pending_session', 'max_sessions_per_minute'],
        ...['coalesce_window_seconds', 'scheduling_class', 'precedence'],
      ]),
      { operation: 'triggers.toggle', button: 'Switch on or off' },
      deletion('triggers.delete'),
    ],
  },
  {
    name: 'conditions',
    title: 'Conditions',
    one: 'Condition',
    about: 'When a trigger fires.',
    table: 'trigger_conditions',
    listed: ['id', 'trigger_id', 'condition_type', 'next_run_at', 'last_triggered_at', 'last_polled_at'],
    shown: ['configuration', 'is_one_shot', 'armed_at', 'created_at'],
    filters: { trigger_id: id, condition_type: text },
    forms: [
      {
        operation: 'triggers.update',
        button: 'Save',
        fields: ['configuration'],
        params: { id: 'trigger_id' },
        entryOf: 'trigger_conditions_attributes',
      },
    ],
  },
  {
    name: 'work_backlog',
    title: 'Work backlog',
    one: 'Item',
    about: 'The ranked queue of work, and its history.',
    table: 'work_backlog_items',
    listed: ['id', 'key', 'title', 'status', 'precedence', 'pinned', 'liveness', 'added_at'],
    shown: [
      ...['issue_url', 'repo', 'surface', 'kind', 'scope_direction', 'estimated_cost', 'gate_verdict', 'decided_at'],
      ...['payload', 'added_by', 'added_via', 'writing_session_id', 'started_session_id', 'started_by_session_id'],
      ...['started_at', 'removed_at', 'removed_by', 'removal_reason', 'liveness_checked_at', 'liveness_check_at'],
      'liveness_asked_at',
    ],
    withheld: { rank_key: 'made of precedence and id' },
    filters: { status: itemStatuses, estimated_cost: estimatedCosts, key: text },
    forms: [
      { operation: 'work_backlog_items.pin', button: 'Pin', fields: ['precedence'] },
      { operation: 'work_backlog_items.unpin', button: 'Unpin' },
      { operation: 'work_backlog_items.start_now', button: 'Start now' },
      { operation: 'work_backlog_items.remove', button: 'Remove', fields: ['reason', 'removed_by'], isDangerous: true },
    ],
  },
  {
    name: 'categories',
    title: 'Categories',
    one: 'Category',
    about: 'Sections of the board.',
    table: 'categories',
    listed: ['id', 'name', 'position', 'is_frozen', 'updated_at'],
    shown: ['description', 'created_at'],
    forms: [saving('categories.update', ['name', 'description', 'is_frozen']), deletion('categories.delete')],
  },
  {
    name: 'messages',
    title: 'Messages',
    one: 'Message',
    about: 'Queued messages to sessions, also those that were delivered.',
    table: 'enqueued_messages',
    listed: ['id', 'session_id', 'status', 'position', 'origin', 'content', 'created_at'],
    shown: ['goal', 'trigger_id', 'is_by_person', 'traceparent', 'updated_at'],
    filters: { ...ofSession, status: ['pending', 'processing', 'sent', 'undelivered'] },
    forms: [saving('enqueued_messages.update', ['content', 'goal']), deletion('enqueued_messages.delete')],
  },
  {
    name: 'elicitations',
    title: 'Elicitations',
    one: 'Elicitation',
    about: 'Questions of sessions to people.',
    table: 'elicitations',
    listed: ['id', 'session_id', 'status', 'asked_by', 'message', 'expires_at', 'created_at'],
    shown: [
      ...['request_id', 'namespace', 'mode', 'requested_schema', 'meta', 'tool_name', 'context', 'mcp_session_id'],
      ...['responded_at', 'lost_reason', 'polled_at', 'delivered_at', 'updated_at'],
    ],
    withheld: { run_marker: fence, response_content: 'people answer questions for passwords too' },
    filters: { ...ofSession, status: ['pending', 'accept', 'decline', 'cancel', 'expired'] },
    forms: [{ operation: 'elicitations.respond', button: 'Answer', fields: ['action_type', 'content'] }],
  },
  {
    name: 'logs',
    title: 'Logs',
    one: 'Log line',
    about: 'What happened to sessions, in plain words. Only lines that callers wrote can be changed.',
    table: 'session_logs',
    listed: ['id', 'session_id', 'level', 'content', 'origin', 'created_at'],
    shown: ['updated_at'],
    filters: { ...ofSession, level: logLevels },
    forms: [saving('logs.update', ['level', 'content']), deletion('logs.delete')],
  },
  {
    name: 'subagents',
    title: 'Subagent transcripts',
    one: 'Subagent transcript',
    about: 'The threads that agents of sessions spawned.',
    table: 'subagent_transcripts',
    listed: ['id', 'session_id', 'agent_id', 'subagent_type', 'status', 'message_count', 'updated_at'],
    shown: [
      ...['description', 'thread', 'tool_use_id', 'filename', 'duration_ms', 'total_tokens', 'tool_use_count'],
      ...['text_length', 'text_sha256', 'created_at'],
    ],
    filters: { ...ofSession, status: ['running', 'completed', 'failed'] },
    forms: [saving('subagents.update', ['subagent_type', 'description', 'status']), deletion('subagents.delete')],
  },
  ...credentialResources,
  {
    name: 'settings',
    title: 'Settings',
    one: 'Settings',
    about: 'The global settings: one record.',
    table: 'settings',
    key: 'only_row',
    keyPattern: /^true$/,
    listed: ['only_row', 'default_runtime', 'default_model', 'spot_max_concurrent_sessions', 'updated_at'],
    shown: [
      ...['spot_gating_enabled', 'spot_gate_five_hour_threshold_pct', 'spot_gate_weekly_threshold_pct'],
      ...['genesis_class_overrides', 'uncategorized_position', 'mcp_tool_search_enabled'],
    ],
    forms: [
      saving('settings.update', [
        ...['default_runtime', 'default_model', 'spot_gating_enabled', 'spot_max_concurrent_sessions'],
        ...['spot_gate_five_hour_threshold_pct', 'spot_gate_weekly_threshold_pct', 'genesis_class_overrides'],
        'mcp_tool_search_enabled',
      ]),
    ],
  },
  {
    name: 'people',
    title: 'People',
    one: 'Person',
    about: 'Whose messages are recorded as theirs.',
    table: 'people',
    key: 'key',
    keyPattern: text,
    isAscending: true,
    listed: ['key', 'display_name', 'chat_user_id', 'is_admin', 'created_at'],
    shown: [],
    forms: [saving('people.update', ['display_name', 'chat_user_id', 'is_admin']), deletion('people.delete')],
  },
  {
    name: 'notifications',
    title: 'Notifications',
    one: 'Notification',
    about: 'What people are told about sessions.',
    table: 'notifications',
    listed: ['id', 'session_id', 'notification_type', 'title', 'read', 'stale', 'created_at'],
    shown: ['body', 'marker', 'position', 'updated_at'],
    filters: { ...ofSession, notification_type: text },
    forms: [
      { operation: 'notifications.mark_read', button: 'Mark as read' },
      { operation: 'notifications.dismiss', button: 'Dismiss', isDangerous: true, isLast: true },
    ],
  },
  {
    name: 'costs',
    title: 'Cost rows',
    one: 'Cost row',
    about: 'The usage of model calls, one row per call. Read-only: they are what the agents reported.',
    table: 'session_usage',
    listed: ['id', 'session_id', 'model', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'called_at'],
    shown: [
      ...['request_id', 'agent_root', 'agent_runtime', 'runtime_session_id', 'subagent', 'cache_creation_tokens'],
      ...['cache_creation_5m_tokens', 'cache_creation_1h_tokens', 'web_search_requests', 'web_fetch_requests'],
      ...['service_tier', 'source', 'spent_on'],
    ],
    filters: { ...ofSession, model: text },
  },
  {
    name: 'summaries',
    title: 'Summaries',
    one: 'Summary of session',
    about: 'Status summaries of sessions. An agent writes them on request.',
    table: 'session_status_summaries',
    key: 'session_id',
    keyPattern: id,
    listed: ['session_id', 'state', 'summary', 'requested_at', 'generated_at'],
    shown: ['error', 'entry_count', 'attempts', 'lease_expires_at'],
    withheld: { run_marker: fence },
    filters: { state: ['idle', 'pending', 'ready', 'failed'] },
    forms: [{ operation: 'sessions.regenerate_status_summary', button: 'Regenerate', params: { id: 'session_id' } }],
  },
  {
    name: 'gate_decisions',
    title: 'Gate decisions',
    one: 'Gate decision',
    about: 'What gates decided about pull requests and issues. Nothing recorded changes; people add what they think.',
    table: 'gate_decisions',
    listed: ['id', 'gate', 'surface', 'decision', 'title', 'artifact_url', 'decided_on'],
    shown: ['producing_session_url', 'writing_session_id', 'recorded_via', 'recorded_at', 'listed_on', 'payload'],
    withheld: { searched: 'repeats the payload' },
    filters: { gate: gates, surface: text, decision: text },
    forms: [
      { operation: 'gate_decisions.add_feedback', button: 'Add feedback', fields: ['verdict', 'note', 'author'] },
    ],
  },
  {
    name: 'gate_feedback',
    title: 'Gate feedback',
    one: 'Feedback',
    about: 'What people think of decisions of gates. Read-only.',
    table: 'gate_feedbacks',
    listed: ['id', 'decision_id', 'verdict', 'note', 'author', 'received_at'],
    shown: ['channel', 'recorded_at'],
    filters: { decision_id: id },
  },
  ...ledgerResources,
  ...accountResources,
]

export const resources: readonly Resource[] = declared.map((resource) => ({ ...usual, ...resource }))

/** Columns whose values are keys of another resource. */
export const references: Readonly<Record<string, string>> = {
  session_id: 'sessions',
  parent_session_id: 'sessions',
  summary_of_session_id: 'sessions',
  last_session_id: 'sessions',
  made_by_session_id: 'sessions',
  writing_session_id: 'sessions',
  analyzer_session_id: 'sessions',
  failing_session_id: 'sessions',
  started_session_id: 'sessions',
  started_by_session_id: 'sessions',
  category_id: 'categories',
  trigger_id: 'triggers',
  decision_id: 'gate_decisions',
  batch_id: 'outcome_batches',
  account_id: 'accounts',
  rotated_from_id: 'accounts',
  rotated_to_id: 'accounts',
}
