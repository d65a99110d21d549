import type { Result } from '../../shared/api/client.ts'
import type { Tone } from '../../shared/kit/badge.tsx'

export type Health = Result<'health.show'>
export type Report = Health['health_report']
export type State = Report['overall_status']['status']

export const stateTones: Record<State, Tone> = {
  healthy: 'ok',
  warning: 'needs',
  critical: 'failed',
  unknown: 'neutral',
}

type Part = Exclude<keyof Report, 'overall_status' | 'generated_at'>

export const parts: readonly (readonly [Part, string])[] = [
  ['process_health', 'Agent processes'],
  ['session_health', 'Sessions'],
  ['system_health', 'Queues and hosts'],
  ['background_health', 'Background work'],
  ['egress_health', 'Network'],
  ['auth_health', 'Sign-in of agents'],
  ['agent_confinement', 'Confinement of agents'],
  ['web_auth', 'Sign-in to this dashboard'],
  ['retry_budget_health', 'Retries'],
  ['sigterm_retry_health', 'Work continued after a stop'],
  ['api_error_retry_health', 'Turns started again'],
  ['post_deploy_task_health', 'One-time tasks'],
  ['log_retention_health', 'Logs'],
]
