import { randomUUID } from 'node:crypto'
import type { deliveries } from '@yardmaster/contract/fires/fields'
import type { Genesis, Session } from '@yardmaster/contract/sessions/fields'
import type { Trigger } from '@yardmaster/contract/triggers/fields'
import { isOutage } from '../../platform/db/outage.ts'
import { Refusal, refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { showRow } from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { presentTrigger, selectTrigger } from '../triggers/trigger.ts'
import type { FireResult, TriggerEvent } from './event.ts'
import { recordFailedFire } from './failed-fire.ts'
import { attemptFire, inFire } from './fire-trigger.ts'
import { valuesOf } from './template.ts'

export type Invoked = {
  trigger: Trigger
  session: Session
  burst_notice: boolean
  delivery: (typeof deliveries)[number]
  message: string
}

/** Fires a trigger at a caller's request, whatever its status. The values are the caller's own words. */
export async function invokeTrigger(
  app: App,
  id: number,
  variables: Record<string, unknown>,
  genesis: Genesis,
): Promise<Invoked> {
  const event: TriggerEvent = {
    key: `invoke:${randomUUID()}`,
    by: 'invoke',
    genesis,
    conditionId: null,
    values: valuesOf(variables),
    occurredAt: app.clock.now(),
    ifNotFired: 'lost',
  }
  // The settings are for the answer, which then needs no read of its own.
  const [result, settings] = await Promise.all([
    inFire(app, id, event, () => attemptOrRecord(app, id, event)),
    readSettings(app.db),
  ])
  const { row, conditions } = result.fired ?? refuseMissing()
  const trigger = await presentTrigger(app, app.db, row, { conditions, settings })
  const session =
    result.session ?? (result.sessionId === null ? null : await showRow(app, app.db, { id: result.sessionId }))
  const delivery = deliveryOf(result)
  if (!delivery || !session || result.isTargetUnusable) return refuseInvoke(result, { trigger, session })
  const burst_notice = result.outcome === 'burst_notice'
  const message = `Trigger "${row.name}" fired manually. ${describe(result)}`
  return { trigger, session, burst_notice, delivery, message }
}

/** A fire that raises stands in the history too. A root that cannot be resolved is answered with the trigger. */
async function attemptOrRecord(app: App, id: number, event: TriggerEvent) {
  try {
    return await attemptFire(app, id, [event])
  } catch (error) {
    if (isOutage(error)) throw error
    await recordFailedFire(app, id, event, error)
    const row = await selectTrigger(app.db, id)
    if (!(error instanceof Refusal) || !row) throw error
    throw new Refusal(error.kind, error.messages, { ...error.beside, trigger: await presentTrigger(app, app.db, row) })
  }
}

function deliveryOf({ outcome }: FireResult): Invoked['delivery'] | undefined {
  switch (outcome) {
    case 'spawned':
    case 'burst_notice':
      return 'spawned'
    case 'delivered':
    case 'queued':
    case 'coalesced':
    case 'dropped':
      return outcome
    default:
      return undefined
  }
}

function refuseInvoke({ outcome, reason }: FireResult, beside: { trigger: Trigger; session: Session | null }): never {
  const sentence = reason ?? 'The trigger started nothing.'
  if (outcome === 'skipped') return refuse('session_pending', sentence, beside)
  if (outcome === 'suppressed') return refuse('burst_suppressed', sentence, { trigger: beside.trigger })
  return refuse('no_session_created', sentence, beside)
}

function describe({ outcome, sessionId, reason }: FireResult): string {
  switch (outcome) {
    case 'spawned':
      return 'Session created.'
    case 'burst_notice':
      return 'It fires too often: a session that reports the burst was created instead.'
    case 'delivered':
      return `Prompt delivered to session ${sessionId}.`
    case 'queued':
      return `Prompt queued for session ${sessionId}.`
    case 'coalesced':
      return `Folded into a prompt that waits. ${reason ?? ''}`.trim()
    default:
      return `Prompt dropped. ${reason ?? ''}`.trim()
  }
}
