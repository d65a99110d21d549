import type { ConditionType } from '@yardmaster/contract/triggers/conditions'
import type { Input, Result } from '../../shared/api/client.ts'
import { newId } from '../../shared/kit/new-id.ts'
import { viewerZone } from '../../shared/kit/time.tsx'
import type { ArtifactLists } from '../catalog/artifact-lists.tsx'

export type Trigger = Result<'triggers.show'>['trigger']
type ListsOfTrigger = Pick<Trigger, 'mcp_servers' | 'catalog_skills' | 'catalog_hooks' | 'catalog_plugins'>

export type Condition = {
  /** Of a stored one. */
  id?: number
  /** For React: stays while the condition is edited. */
  key: string
  type: ConditionType
  configuration: Record<string, unknown>
}

/** What a person has typed. Numbers are texts, and empty means none. */
export type TriggerValues = {
  name: string
  root: string
  template: string
  goal: string
  conditions: readonly Condition[]
  reusesSession: boolean
  sessionId: string
  enqueues: boolean
  resuscitates: boolean
  skipsIfPending: boolean
  maxPerMinute: string
  coalesceSeconds: string
  schedulingClass: '' | 'spot' | 'priority'
  precedence: string
  lists: ArtifactLists
}

/** The name of the draft of a stored trigger. */
export function draftOf({ id }: Pick<Trigger, 'id'>): string {
  return `trigger.${id}`
}

/** The name of the draft of what a trigger is run with by hand. */
export function runOf(trigger: Pick<Trigger, 'id'>): string {
  return `${draftOf(trigger)}.run`
}

const starts: Record<ConditionType, () => Record<string, unknown>> = {
  schedule: () => ({ unit: 'days', interval: 1, time: '09:00', timezone: viewerZone }),
  chat: () => ({ event_type: 'bot_mention' }),
  forge_issue: () => ({ repos: [], exclude_labels: [] }),
  forge_label: () => ({ repos: [], labels: [], target: 'pull_request' }),
  ao_event: () => ({ event_name: 'session_failed' }),
}

export function newCondition(type: ConditionType): Condition {
  return { key: newId(), type, configuration: starts[type]() }
}

export const emptyTrigger: TriggerValues = {
  name: '',
  root: '',
  template: '',
  goal: '',
  conditions: [{ key: 'first', type: 'schedule', configuration: starts.schedule() }],
  reusesSession: false,
  sessionId: '',
  enqueues: false,
  resuscitates: false,
  skipsIfPending: false,
  maxPerMinute: '',
  coalesceSeconds: '',
  schedulingClass: '',
  precedence: '',
  lists: {},
}

export function valuesOf(trigger: Trigger): TriggerValues {
  const text = (value: number | null) => (value === null ? '' : String(value))
  return {
    name: trigger.name,
    root: trigger.agent_root_name,
    template: trigger.prompt_template,
    goal: trigger.goal ?? '',
    conditions: trigger.conditions.map(({ id, condition_type, configuration }) => ({
      id,
      key: String(id),
      type: condition_type,
      configuration,
    })),
    reusesSession: trigger.reuse_session,
    sessionId: trigger.reuse_session ? text(trigger.last_session_id) : '',
    enqueues: trigger.enqueue_messages,
    resuscitates: trigger.resuscitate_archived,
    skipsIfPending: trigger.skip_if_pending_session,
    maxPerMinute: text(trigger.max_sessions_per_minute),
    coalesceSeconds: text(trigger.coalesce_window_seconds),
    schedulingClass: trigger.scheduling_class ?? '',
    precedence: text(trigger.precedence),
    lists: chosenLists(trigger),
  }
}

/** An empty list of a trigger means the root's own. */
function chosenLists({ mcp_servers, catalog_skills, catalog_hooks, catalog_plugins }: ListsOfTrigger): ArtifactLists {
  const chosen = Object.entries({ mcp_servers, catalog_skills, catalog_hooks, catalog_plugins })
  return Object.fromEntries(chosen.filter(([, names]) => names.length > 0))
}

type Attributes = NonNullable<Input<'triggers.preview'>['trigger_conditions_attributes']>

export function attributesOf(conditions: readonly Condition[]): Attributes {
  return conditions.map(({ id, type, configuration }) => ({
    ...(id !== undefined && { id }),
    condition_type: type,
    configuration: configuration as NonNullable<Attributes[number]['configuration']>, // made of texts, numbers and lists
  }))
}

/** A stored condition that is no longer in the form is deleted. */
export function requestOf(values: TriggerValues, stored: Trigger | undefined): Input<'triggers.create'> {
  const number = (text: string) => (text.trim() === '' ? null : Number(text))
  const kept = new Set(values.conditions.map(({ id }) => id))
  const removed = (stored?.conditions ?? []).filter(({ id }) => !kept.has(id))
  const { mcp_servers = [], catalog_skills = [], catalog_hooks = [], catalog_plugins = [] } = values.lists
  return {
    name: values.name.trim(),
    agent_root_name: values.root,
    prompt_template: values.template,
    goal: values.goal.trim() || null,
    trigger_conditions_attributes: [
      ...attributesOf(values.conditions),
      ...removed.map(({ id }) => ({ id, _destroy: true })),
    ],
    reuse_session: values.reusesSession,
    ...(values.reusesSession && { last_session_id: number(values.sessionId) }),
    enqueue_messages: values.enqueues,
    resuscitate_archived: values.resuscitates,
    skip_if_pending_session: values.skipsIfPending,
    max_sessions_per_minute: number(values.maxPerMinute),
    coalesce_window_seconds: number(values.coalesceSeconds),
    scheduling_class: values.schedulingClass || null,
    precedence: number(values.precedence),
    mcp_servers: [...mcp_servers],
    catalog_skills: [...catalog_skills],
    catalog_hooks: [...catalog_hooks],
    catalog_plugins: [...catalog_plugins],
  }
}
