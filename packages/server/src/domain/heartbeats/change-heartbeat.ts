import type { SessionRef } from '@yardmaster/contract/identifiers'
import { limits } from '@yardmaster/contract/limits'
import { booleanSpellings } from '@yardmaster/contract/query'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { wholeNumber } from '@yardmaster/contract/whole-number'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lockSession, recordHeartbeatSettings, showRow } from '../sessions/session.ts'

export type HeartbeatRequest = { enabled?: unknown; interval_seconds?: unknown }

/** Null counts as absent; an absent field stays unchanged. */
export async function changeHeartbeat(app: App, ref: SessionRef, request: HeartbeatRequest): Promise<Session> {
  const { enabled, interval_seconds } = request
  if ((enabled ?? interval_seconds ?? undefined) === undefined) {
    refuse('missing_parameter', 'Provide enabled and/or interval_seconds')
  }
  const changes = {
    ...(enabled !== undefined && enabled !== null && { heartbeat_enabled: parseEnabled(enabled) }),
    ...(interval_seconds !== undefined &&
      interval_seconds !== null && { heartbeat_interval_seconds: parseInterval(interval_seconds) }),
  }
  return transact(app.db, async (tx) => {
    const { id } = await lockSession(tx, ref)
    await recordHeartbeatSettings(tx, id, changes)
    return showRow(app, tx, { id })
  })
}

function parseEnabled(value: unknown): boolean {
  const isText = typeof value === 'string' || typeof value === 'number'
  const parsed = isText ? booleanSpellings.get(String(value).toLowerCase()) : value
  return typeof parsed === 'boolean' ? parsed : refuse('validation_failed', 'enabled must be a boolean')
}

function parseInterval(value: unknown): number {
  const { min, max } = limits.heartbeatIntervalSeconds
  const seconds = wholeNumber(value) ?? refuse('validation_failed', 'interval_seconds must be an integer')
  if (seconds < min) refuse('validation_failed', `Heartbeat interval seconds must be greater than or equal to ${min}`)
  if (seconds > max) refuse('validation_failed', `Heartbeat interval seconds must be less than or equal to ${max}`)
  return seconds
}
