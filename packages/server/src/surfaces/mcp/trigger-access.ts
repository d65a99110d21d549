import { readConditionType } from '@yardmaster/contract/triggers/conditions'
import type { App } from '../../domain/app.ts'
import { findInTree } from '../../domain/hierarchy/hierarchy.ts'
import { selectTrigger } from '../../domain/triggers/trigger.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { BoundCall } from './bound-call.ts'
import { type Caller, isAboutTriggers, reachOther } from './caller.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A caller limited to roots sees and makes only triggers on those roots, which follow up and watch only sessions on them. An
 * agent changes only triggers that its session or a descendant made, and hears no platform through them.
 */
export async function refuseForeignTrigger(
  app: App,
  caller: Caller,
  call: BoundCall,
  { params, body }: { params: Fields; body: Fields },
): Promise<void> {
  const { roots } = caller
  if (!roots || !isAboutTriggers(call)) return
  const trigger = params.id === undefined ? undefined : await selectTrigger(app.db, Number(params.id) || 0)
  if (params.id !== undefined && !(trigger && roots.includes(trigger.agent_root_name))) refuseMissing()
  if (trigger && call.endpoint.method !== 'GET') await refuseUnlessMade(app, caller, trigger.made_by_session_id)
  const { agent_root_name: name } = body
  const isNamed = call.endpoint.path === '/triggers' && call.endpoint.method === 'POST' ? true : name !== undefined
  if (isNamed && !roots.includes(String(name)))
    refuse('invalid_agent_root', `Agent root must be one of: ${roots.join(', ')}`)
  refuseForeignConditions(caller, conditionsIn(body))
  for (const session of sessionsNamedIn(body)) await reachOther(app, caller, session)
}

async function refuseUnlessMade(app: App, { ownSessionId }: Caller, maker: number | null): Promise<void> {
  if (ownSessionId === undefined) return
  const isOwn = maker !== null && (await findInTree(app.db, ownSessionId, { id: maker })) !== undefined
  if (!isOwn) refuse('not_found', 'Agents change only triggers that their session or its descendants made')
}

function conditionsIn({ trigger_conditions_attributes: conditions }: Fields): Fields[] {
  return [conditions ?? []].flat().map((condition) => Object(condition))
}

function refuseForeignConditions({ ownSessionId }: Caller, conditions: readonly Fields[]): void {
  for (const { condition_type: named, configuration } of conditions) {
    const type = readConditionType(named)
    const { event_name: event, watched_session_id: watched }: Fields = Object(configuration)
    if (ownSessionId !== undefined && type !== undefined && type !== 'schedule' && type !== 'ao_event')
      refuse('invalid_parameter', 'Agents make schedule and ao_event conditions; ask a person for others')
    if (isGiven(event) && !isGiven(watched))
      refuse('invalid_parameter', 'watched_session_id is required: you can watch only sessions that you can reach')
  }
}

/** The sessions that a trigger would follow up or watch. */
function sessionsNamedIn(body: Fields): unknown[] {
  const watched = conditionsIn(body).map(({ configuration }) => Object(configuration).watched_session_id)
  return [body.last_session_id, body.session_id, ...watched].filter(isGiven)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
