import type { Call, Tool } from '../tool.ts'

/** About the whole service: an agent needs the permission of its root. */
const forReaders = { needs: 'see_operations', decidesByAgent: true } as const satisfies Partial<Call>
const forOperators = { needs: 'maintain', decidesByAgent: true } as const satisfies Partial<Call>

const spotFields = [
  'spot_gating_enabled',
  'spot_max_concurrent_sessions',
  'spot_gate_five_hour_threshold_pct',
  'spot_gate_weekly_threshold_pct',
]

/** Changes the class of one origin and keeps those of the others. */
function withClass(sessionClass: 'spot' | 'priority'): Call {
  return {
    ...forOperators,
    endpoint: 'PATCH /settings',
    takes: ['genesis_class_overrides'],
    adds: { genesis: { type: 'string', enum: ['web_ui', 'api', 'unknown'], description: 'An origin of sessions.' } },
    consults: 'GET /settings',
    prepare: ({ genesis, ...args }, before) => {
      const settings = Reflect.get(Object(before), 'settings')
      const overrides = Object(Reflect.get(Object(settings), 'genesis_class_overrides'))
      return { ...args, genesis_class_overrides: { ...overrides, [String(genesis)]: sessionClass } }
    },
  }
}

export const tools: readonly Tool[] = [
  {
    name: 'get_system_health',
    groups: ['health', 'health_readonly'],
    about: 'Report on the hosts, queues, sessions and background work of the service.',
    calls: { show: { ...forReaders, endpoint: 'GET /health', isWhole: true } },
    choose: () => 'show',
  },
  {
    name: 'action_health',
    groups: ['health'],
    about: 'Maintain the service. The first three actions can be repeated after 30 seconds.',
    calls: {
      cleanup_processes: { ...forOperators, endpoint: 'POST /health/cleanup_processes' },
      retry_sessions: { ...forOperators, endpoint: 'POST /health/retry_sessions' },
      archive_old: { ...forOperators, endpoint: 'POST /health/archive_old' },
      cli_refresh: { ...forOperators, endpoint: 'POST /clis/refresh' },
      cli_clear_cache: { ...forOperators, endpoint: 'POST /clis/clear_cache' },
      enter_queue_recovery_mode: { ...forOperators, endpoint: 'POST /health/enter_queue_recovery_mode' },
      backfill_token_usage: { ...forOperators, endpoint: 'POST /costs/backfill' },
      exit_queue_recovery_mode: { ...forOperators, endpoint: 'POST /health/exit_queue_recovery_mode' },
    },
  },
  {
    name: 'get_spot_policy',
    groups: ['health', 'health_readonly'],
    about: 'See how many sessions run at once, and which class sessions of each origin have.',
    calls: { show: { ...forReaders, endpoint: 'GET /settings' } },
    choose: () => 'show',
  },
  {
    name: 'action_spot_policy',
    groups: ['health'],
    about: 'Change how many sessions run at once, and which class sessions of each origin have.',
    calls: {
      set_gating: { ...forOperators, endpoint: 'PATCH /settings', takes: spotFields },
      promote_genesis: withClass('priority'),
      demote_genesis: withClass('spot'),
      reset_genesis_classes: {
        ...forOperators,
        endpoint: 'PATCH /settings',
        takes: ['genesis_class_overrides'],
        prepare: (args) => ({ ...args, genesis_class_overrides: {} }),
      },
    },
  },
]
