import type { VisibilityChange } from '@yardmaster/contract/board/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import { instantOf, isTimeZone, readWallClock, type WallClock } from '../../platform/wall-clock.ts'
import type { App } from '../app.ts'
import { lockSession, recordVisibility, showRow } from '../sessions/session.ts'

export type VisibilityRequest = z.output<typeof VisibilityChange>

/** Affects only the board: no scheduler or queue reads the visibility. */
export async function changeVisibility(app: App, ref: SessionRef, request: VisibilityRequest): Promise<Session> {
  const { visibility } = request
  const snoozed_until = visibility === 'snoozed' ? readEnd(request, app.clock.now()) : null
  return transact(app.db, async (tx) => {
    const { id } = await lockSession(tx, ref)
    await recordVisibility(tx, id, { visibility, snoozed_until })
    return showRow(app, tx, { id })
  })
}

const withOffset = /[+-]\d{2}(:?\d{2})?$/

function readEnd({ snoozed_until: text, timezone }: VisibilityRequest, now: Date): Date {
  if (text === undefined) return refuseChange('snoozed_until is required to snooze a session.')
  if (text.includes('T') && withOffset.test(text)) {
    return refuseChange('snoozed_until must not carry a UTC offset; send the wall clock time and a timezone name.')
  }
  const { clock, isUtc } = readClock(text)
  const zone = readZone(timezone)
  if (isUtc && zone !== 'UTC' && zone !== 'Etc/UTC') {
    return refuseChange('snoozed_until ends in Z, but timezone is not UTC; drop the Z or set timezone to UTC.')
  }
  const end = instantOf(clock, zone)
  if (end <= now) return refuseChange(`snoozed_until is in the past (${formatTimestamp(end)}).`)
  return end
}

function readClock(text: string): { clock: WallClock; isUtc: boolean } {
  const read = readWallClock(text)
  if (!read) return refuseChange('snoozed_until must be an ISO-8601 datetime such as 2026-09-05T08:00.')
  return { clock: read.clock, isUtc: read.offset === 'Z' }
}

function readZone(name: string): string {
  if (isTimeZone(name)) return name
  return refuseChange(`${JSON.stringify(name)} is not a recognized IANA timezone name.`)
}

function refuseChange(sentence: string): never {
  return refuse('visibility_update_failed', sentence)
}
