import type { Configuration } from '@yardmaster/contract/triggers/conditions'
import type { App } from '../app.ts'
import { lookUp, warningsAbout as warningsAboutServers } from '../catalog/catalog.ts'
import { artifactLists, isRootMissing } from './catalog-references.ts'
import { instantOfOneTime, isOneTime } from './conditions/schedule.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'

/** What a caller should know about a trigger that was saved. */
export async function warningsAbout(
  app: App,
  trigger: TriggerRow,
  conditions: readonly ConditionRow[],
): Promise<string[]> {
  const warnings: string[] = []
  if (isRootMissing(app, trigger))
    warnings.push(`The catalog has no agent root named ${trigger.agent_root_name}; fires fail until it does.`)
  if (trigger.skip_if_pending_session && trigger.reuse_session)
    warnings.push('skip_if_pending_session is not read while a live session exists to re-use.')
  if (trigger.coalesce_window_seconds !== null && !conditions.some(({ condition_type: type }) => type === 'chat'))
    warnings.push('coalesce_window_seconds has no effect without a chat condition.')
  const tree = app.catalog.current()
  const [mcp_servers = [], catalog_skills = [], catalog_hooks = [], catalog_plugins = []] = artifactLists.map(
    (list) => lookUp(tree, list, trigger[list]).known,
  )
  const selection = { mcp_servers, catalog_skills, catalog_hooks, catalog_plugins }
  return [
    ...warnings,
    ...warningsAboutConditions(app, conditions),
    ...new Set(conditions.flatMap((condition) => warningsAboutPlatforms(app, condition))),
    ...(await warningsAboutServers(app.catalog, selection)),
  ]
}

function warningsAboutConditions(app: App, conditions: readonly ConditionRow[]): string[] {
  const warnings: string[] = []
  for (const condition of conditions) {
    if (condition.condition_type !== 'schedule' || condition.last_triggered_at !== null) continue
    const schedule = condition.configuration as Configuration<'schedule'> // validated when it was written
    if (isOneTime(schedule) && instantOfOneTime(schedule) <= app.clock.now())
      warnings.push(`scheduled_at ${schedule.scheduled_at} is in the past; the trigger fires as soon as possible.`)
  }
  return warnings
}

/** A condition on a platform that is not configured is kept: it begins to fire when it is. */
function warningsAboutPlatforms({ chat, forge }: App, condition: ConditionRow): string[] {
  const { condition_type: type } = condition
  if (type === 'forge_issue' || type === 'forge_label')
    return forge.isConfigured
      ? []
      : ['The forge is not configured; its conditions do not fire until FORGE_TOKEN is set.']
  if (type !== 'chat') return []
  if (!chat.isConfigured) return ['Chat is not configured; its conditions do not fire until CHAT_TOKEN is set.']
  const { event_type: event, allowed_user_ids: named = [] } = condition.configuration as Configuration<'chat'> // as above
  if (named.length > 0 || chat.allowedUserIds.length > 0 || event === 'new_message') return []
  return event === 'bot_mention'
    ? ['allowed_user_ids is empty: everyone in a channel may mention the bot, and no one may write to it directly.']
    : [`allowed_user_ids is empty: a ${event} condition fires for no one until people are named.`]
}
