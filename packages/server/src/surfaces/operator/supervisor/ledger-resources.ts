import { itemStates } from '@yardmaster/contract/outcomes/fields'
import { id, text } from './key-patterns.ts'

/** What the service recorded and no one edits: it says what happened. */
export const ledgerResources = [
  {
    name: 'human_messages',
    title: 'Messages of people',
    one: 'Message',
    about: 'What people said to sessions, and where. Read-only.',
    table: 'human_messages',
    listed: ['id', 'session_id', 'author_key', 'channel', 'content', 'occurred_at'],
    shown: ['room_name', 'entry_point'],
    filters: { session_id: id, author_key: text, channel: ['web_ui', 'chat'] },
  },
  {
    name: 'cost_backfills',
    title: 'Cost sweeps',
    one: 'Cost sweep',
    about: 'Sweeps that complete the ledger of costs. Read-only.',
    table: 'cost_backfills',
    listed: ['id', 'trigger', 'sessions_done', 'sessions_total', 'rows_written', 'started_at', 'finished_at'],
    shown: [
      ...['threads_scanned', 'sessions_skipped', 'last_session_id', 'last_error', 'failure', 'failing_session_id'],
      ...['last_ran_at', 'created_at'],
    ],
  },
  {
    name: 'post_deploy_tasks',
    title: 'One-time tasks',
    one: 'One-time task',
    about: 'Work that a new version does once. Read-only: the health page tries failed ones again.',
    table: 'post_deploy_tasks',
    key: 'version',
    keyPattern: text,
    listed: ['version', 'name', 'status', 'attempts', 'failures', 'last_ran_at', 'next_attempt_at'],
    shown: ['cursor', 'stats', 'lease_expires_at', 'started_at', 'finished_at', 'last_error', 'last_error_at'],
    withheld: { lease_id: 'proves to the service which run may write' },
    filters: { status: ['pending', 'running', 'succeeded', 'failed'] },
  },
  {
    name: 'outcome_analyses',
    title: 'Outcome analyses',
    one: 'Outcome analysis',
    about: 'How archived sessions went. Read-only: a later analysis supersedes an earlier one.',
    table: 'outcome_analyses',
    listed: ['id', 'session_id', 'root_outcome', 'segment_count', 'agent_root', 'analyzed_at', 'superseded_at'],
    shown: [
      ...['analyzer_session_id', 'schema_version', 'agent_runtime', 'model', 'session_created_at', 'notes'],
      ...['failure_segment_count', 'success_segment_count', 'max_depth', 'root'],
    ],
    filters: { session_id: id, root_outcome: ['Success', 'Failure'], agent_root: text },
  },
  {
    name: 'outcome_batches',
    title: 'Batches of analyses',
    one: 'Batch',
    about: 'Archived sessions that one call asked to analyse.',
    table: 'outcome_batches',
    listed: ['id', 'concurrency', 'created_at'],
    shown: [],
    forms: [{ operation: 'outcome_analyses.cancel_batch', button: 'Cancel', isDangerous: true }],
  },
  {
    name: 'outcome_items',
    title: 'Sessions of batches',
    one: 'Item',
    about: 'The sessions of batches, each with its state. Read-only: cancelling the batch ends those that are stuck.',
    table: 'outcome_items',
    listed: ['id', 'batch_id', 'session_id', 'state', 'reason', 'started_at', 'ended_at'],
    shown: ['analyzer_session_id', 'corrections'],
    filters: { batch_id: id, session_id: id, state: itemStates },
  },
] as const
