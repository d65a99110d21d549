/** What can fire a trigger, in the order that decides the origin of a session whose trigger has several kinds. */
export const conditionTypes = ['chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event'] as const
export type ConditionType = (typeof conditionTypes)[number]

/** Names of products that clients write instead. They are accepted, and answered with the names above. */
const productNames: ReadonlyMap<string, ConditionType> = new Map([
  ['slack', 'chat'],
  ['github_issue', 'forge_issue'],
  ['github_label', 'forge_label'],
])

/** Undefined for a type that does not exist. */
export function readConditionType(name: unknown): ConditionType | undefined {
  if (typeof name !== 'string') return undefined
  return conditionTypes.find((known) => known === name) ?? productNames.get(name)
}

export const chatEvents = [
  'new_message',
  'bot_mention',
  'dm_message',
  'passive_listen_thread',
  'passive_listen_channel',
  'passive_listen',
] as const
export const scheduleUnits = ['minutes', 'hours', 'days', 'weeks'] as const
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export const sessionEvents = ['session_needs_input', 'session_failed', 'session_archived'] as const
export const forgeTargets = ['pull_request', 'issue'] as const

export type SessionEvent = (typeof sessionEvents)[number]

type Chat = {
  event_type: (typeof chatEvents)[number]
  channel_id?: string
  channel_name?: string
  thread_ts?: string
  allowed_user_ids?: string[]
}
type ForgeIssue = { repos: string[]; exclude_labels: string[] }
type ForgeLabel = { repos: string[]; labels: string[]; target: (typeof forgeTargets)[number] }
export type RecurringSchedule = {
  unit: (typeof scheduleUnits)[number]
  interval: number
  time?: string
  day_of_week?: (typeof weekdays)[number]
  timezone: string
}
export type OneTimeSchedule = { scheduled_at: string; timezone: string }
type SessionEventWatch = { event_name: SessionEvent; watched_session_id?: number }

/** What a condition is stored with, by its type. */
export type Configurations = {
  chat: Chat
  forge_issue: ForgeIssue
  forge_label: ForgeLabel
  schedule: RecurringSchedule | OneTimeSchedule
  ao_event: SessionEventWatch
}

export type Configuration<Type extends ConditionType = ConditionType> = Configurations[Type]
