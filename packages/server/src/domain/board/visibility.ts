import type { VisibilityChange } from '@yardmaster/contract/board/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lockSession, recordVisibility, showRow } from '../sessions/session.ts'
import { instantOf, isTimeZone, type WallClock } from './wall-clock.ts'

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

const grammar = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z?)$/
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
  const [, ...parts] = grammar.exec(text) ?? []
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const clock = { year, month, day, hour, minute, second }
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  if (parts.length === 0 || !isReal) {
    return refuseChange('snoozed_until must be an ISO-8601 datetime such as 2026-09-05T08:00.')
  }
  return { clock, isUtc: parts[6] === 'Z' }
}

function readZone(name: string): string {
  if (isTimeZone(name)) return name
  return refuseChange(`${JSON.stringify(name)} is not a recognized IANA timezone name.`)
}

function refuseChange(sentence: string): never {
  return refuse('visibility_update_failed', sentence)
}
