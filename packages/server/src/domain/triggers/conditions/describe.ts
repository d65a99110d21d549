import type { ConditionType, Configuration, Configurations } from '@yardmaster/contract/triggers/conditions'
import { isOneTime } from './schedule.ts'

const descriptions: { [Type in ConditionType]: (configuration: Configuration<Type>) => string } = {
  chat: ({ event_type, channel_id, channel_name, thread_ts }) => {
    const place = channel_name ? `#${channel_name}` : channel_id
    const where = place === undefined ? '' : ` in ${place}`
    return `${chatEvents[event_type]}${where}${thread_ts === undefined ? '' : `, thread ${thread_ts}`}`
  },
  forge_issue: ({ repos, exclude_labels }) =>
    `New issue in ${repos.join(', ')}${exclude_labels.length > 0 ? ` without ${exclude_labels.join(', ')}` : ''}`,
  forge_label: ({ repos, labels, target }) =>
    `Label ${labels.join(' or ')} added to ${target === 'issue' ? 'an issue' : 'a pull request'} in ${repos.join(', ')}`,
  schedule: describeSchedule,
  ao_event: ({ event_name, watched_session_id }) =>
    `${watched_session_id === undefined ? 'Any session' : `Session ${watched_session_id}`} ${eventWords[event_name]}`,
}

const chatEvents: Record<Configurations['chat']['event_type'], string> = {
  new_message: 'New message',
  bot_mention: 'Mention of the bot',
  dm_message: 'Direct message',
  passive_listen_thread: 'Reply in a thread where the bot has spoken',
  passive_listen_channel: 'Message in a channel where the bot has spoken',
  passive_listen: 'Message where the bot has spoken',
}

export const eventWords: Record<Configurations['ao_event']['event_name'], string> = {
  session_needs_input: 'needs input',
  session_failed: 'failed',
  session_archived: 'was archived',
}

/** The condition in words. */
export function describe<Type extends ConditionType>(type: Type, configuration: Configuration<Type>): string {
  return descriptions[type](configuration)
}

function describeSchedule(schedule: Configurations['schedule']): string {
  if (isOneTime(schedule)) return `Once at ${schedule.scheduled_at.replace('T', ' ')} (${schedule.timezone})`
  const { unit, interval, time, day_of_week, timezone } = schedule
  const every = interval === 1 ? `Every ${unit.slice(0, -1)}` : `Every ${interval} ${unit}`
  if (unit === 'minutes' || unit === 'hours') return every
  const day = day_of_week ? ` on ${day_of_week[0]?.toUpperCase()}${day_of_week.slice(1)}` : ''
  return `${every}${day} at ${time} (${timezone})`
}
