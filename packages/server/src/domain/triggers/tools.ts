import type { Tool } from '../tool.ts'
import { conditionArguments, readTriggerArguments } from './tool-arguments.ts'

const writing = {
  from: { trigger_conditions_attributes: 'conditions' },
  adds: conditionArguments,
  prepare: readTriggerArguments,
}

/** The row of a trigger in a list. */
const brief = ['id', 'name', 'status', 'agent_root_name', 'conditions', 'last_triggered_at', 'last_session_id']

export const tools: readonly Tool[] = [
  {
    name: 'search_triggers',
    groups: ['triggers', 'triggers_readonly'],
    about: 'See triggers, by id with the sessions they spawned and their latest fires.',
    calls: {
      show: { endpoint: 'GET /triggers/{id}', also: { fires: { endpoint: 'GET /triggers/{id}/fires' } } },
      list: {
        endpoint: 'GET /triggers',
        from: { condition_type: 'trigger_type' },
        brief,
        also: { channels: { endpoint: 'GET /triggers/channels', when: 'include_channels', closedTo: 'agents' } },
      },
    },
    choose: ({ id }) => (id === undefined || id === null ? 'list' : 'show'),
  },
  {
    name: 'action_trigger',
    groups: ['triggers'],
    about: 'Create, change, fire and delete triggers.',
    calls: {
      create: { endpoint: 'POST /triggers', ...writing },
      update: { endpoint: 'PATCH /triggers/{id}', consults: 'GET /triggers/{id}', ...writing },
      delete: { endpoint: 'DELETE /triggers/{id}' },
      toggle: { endpoint: 'POST /triggers/{id}/toggle' },
    },
  },
]
