import { operations } from '@yardmaster/contract/operations'
import { describe, expect, test } from 'vitest'
import { modules } from '../../src/app/modules.ts'

/**
 * Clients call operations by these names, so a name never changes. A new operation adds a line; a line disappears only
 * with the operation.
 */
const names = [
  'budgets.create',
  'budgets.delete',
  'budgets.list',
  'budgets.show',
  'budgets.update',
  'catalog.show',
  'categories.create',
  'categories.delete',
  'categories.list',
  'categories.reorder',
  'categories.show',
  'categories.update',
  'clis.clear_cache',
  'clis.refresh',
  'clis.status',
  'configs.show',
  'costs.backfill',
  'costs.records',
  'costs.show',
  'elicitations.list',
  'elicitations.poll',
  'elicitations.poll_by_token',
  'elicitations.raise',
  'elicitations.raise_by_token',
  'elicitations.respond',
  'enqueued_messages.create',
  'enqueued_messages.delete',
  'enqueued_messages.interrupt',
  'enqueued_messages.list',
  'enqueued_messages.reorder',
  'enqueued_messages.show',
  'enqueued_messages.update',
  'events.stream',
  'gate_decisions.list',
  'gate_decisions.record',
  'gate_decisions.show',
  'health.archive_old',
  'health.cleanup_processes',
  'health.discard_queued_jobs',
  'health.enter_queue_recovery_mode',
  'health.exit_queue_recovery_mode',
  'health.queue_recovery_mode',
  'health.queued_jobs',
  'health.reschedule_queued_jobs',
  'health.retry_sessions',
  'health.run_post_deploy_tasks',
  'health.show',
  'hooks.list',
  'logs.create',
  'logs.delete',
  'logs.list',
  'logs.show',
  'logs.update',
  'mcp_servers.list',
  'metrics.show',
  'notifications.badge',
  'notifications.delete',
  'notifications.dismiss',
  'notifications.dismiss_all_read',
  'notifications.list',
  'notifications.mark_all_read',
  'notifications.mark_read',
  'notifications.push',
  'notifications.show',
  'outcome_analyses.analyze',
  'outcome_analyses.list',
  'outcome_analyses.save',
  'outcome_analyses.show',
  'outcome_analyses.show_batch',
  'people.create',
  'people.delete',
  'people.list',
  'people.show',
  'people.update',
  'plugins.list',
  'push_subscriptions.create',
  'push_subscriptions.delete',
  'push_subscriptions.key',
  'push_subscriptions.list',
  'secrets.list',
  'sessions.archive',
  'sessions.bulk_archive',
  'sessions.create',
  'sessions.delete',
  'sessions.follow_up',
  'sessions.fork',
  'sessions.list',
  'sessions.message_parent',
  'sessions.pause',
  'sessions.push_notifications',
  'sessions.refresh',
  'sessions.refresh_all',
  'sessions.regenerate_status_summary',
  'sessions.reorder',
  'sessions.restart',
  'sessions.search',
  'sessions.set_category',
  'sessions.show',
  'sessions.sleep',
  'sessions.toggle_favorite',
  'sessions.toggle_push_notifications',
  'sessions.transcript',
  'sessions.unarchive',
  'sessions.update',
  'sessions.update_catalog_hooks',
  'sessions.update_catalog_plugins',
  'sessions.update_catalog_skills',
  'sessions.update_heartbeat',
  'sessions.update_mcp_servers',
  'sessions.update_model',
  'sessions.update_notes',
  'sessions.update_visibility',
  'sessions.wake_later',
  'sessions.wake_on_event',
  'settings.show',
  'settings.update',
  'skills.list',
  'subagents.create',
  'subagents.delete',
  'subagents.list',
  'subagents.show',
  'subagents.update',
  'transcript_archive.download',
  'transcript_archive.status',
  'transcripts.entries',
  'transcripts.part',
  'triggers.channels',
  'triggers.create',
  'triggers.delete',
  'triggers.fires',
  'triggers.invoke',
  'triggers.list',
  'triggers.show',
  'triggers.toggle',
  'triggers.update',
  'turns.list',
  'uncle_links.delete',
  'webhooks.chat',
  'webhooks.forge',
  'work_backlog_items.append',
  'work_backlog_items.list',
  'work_backlog_items.pin',
  'work_backlog_items.pull',
  'work_backlog_items.remove',
  'work_backlog_items.show',
  'work_backlog_items.start_now',
  'work_backlog_items.unpin',
]

describe('the name of an operation', () => {
  test('the name of an operation is on the committed list, and every name on the list has an operation', () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(names)
  })

  test('the name of an operation is unique', () => {
    const all = operations.map(({ name }) => name)
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
  })

  test('the name of an operation is a resource and a verb in lower case with underscores', () => {
    expect(
      operations.map(({ name }) => name).filter((name) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(name)),
    ).toEqual([])
  })

  test('the name of an operation is never the name of something the client has besides its operations', () => {
    // `client.events` is the event stream itself, with the one operation of that resource behind it.
    expect(operations.filter(({ name }) => name.startsWith('events.')).map(({ name }) => name)).toEqual([
      'events.stream',
    ])
  })
})

test('the rooms bind every declared operation once, and nothing that is not declared', () => {
  const bound = modules.flatMap(({ endpoints = [] }) => endpoints.map(({ name }) => name))
  expect(bound.toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
})
