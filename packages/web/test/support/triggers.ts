import { sharedServer } from './browser.ts'
import type { Server } from './launch-server.ts'

export type MadeTrigger = { id: number; name: string; status: string; conditions: { condition_type: string }[] }

/** Due in years: the trigger fires only when a test says so. */
const never = {
  condition_type: 'schedule',
  configuration: { scheduled_at: '2040-01-01T00:00:00', timezone: 'Europe/Berlin' },
}

export async function makeTrigger(
  more: Record<string, unknown>,
  server: Pick<Server, 'call'> = sharedServer(),
): Promise<MadeTrigger> {
  const { trigger } = await server.call<{ trigger: MadeTrigger }>('POST', '/triggers', {
    agent_root_name: 'sample',
    prompt_template: 'say {{title}} by {{author}}',
    trigger_conditions_attributes: [never],
    ...more,
  })
  return trigger
}

/** The trigger as the API shows it. */
export async function readTrigger(
  id: number | string,
  server: Pick<Server, 'call'> = sharedServer(),
): Promise<Record<string, unknown>> {
  return (await server.call<{ trigger: Record<string, unknown> }>('GET', `/triggers/${id}`)).trigger
}
