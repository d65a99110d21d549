import type { JsonObject } from '@yardmaster/contract/json'
import {
  type OneTimeSchedule,
  type RecurringSchedule,
  scheduleUnits,
  weekdays,
} from '@yardmaster/contract/triggers/conditions'
import { instantOf, isTimeZone, readWallClock, type WallClock, wallClockAt } from '../../../platform/wall-clock.ts'
import { type ReadCondition, type Reading, reading } from './reading.ts'

const keys = ['unit', 'interval', 'time', 'day_of_week', 'timezone', 'scheduled_at']
const maxInterval = 100_000

/** With `scheduled_at` it is a one-time schedule, and the recurring keys are not looked at. */
export function readSchedule(given: JsonObject): ReadCondition {
  const read = reading(given, keys)
  const timezone = read.text('timezone') ?? 'UTC'
  if (!isTimeZone(timezone)) read.problems.push('timezone is not a recognized timezone')
  const configuration = read.isGiven('scheduled_at') ? readOneTime(read, timezone) : readRecurring(read, timezone)
  if (!configuration || read.problems.length > 0) return { problems: read.problems }
  return { configuration, isOneShot: isOneTime(configuration) }
}

export function isOneTime(schedule: RecurringSchedule | OneTimeSchedule): schedule is OneTimeSchedule {
  return 'scheduled_at' in schedule
}

function readOneTime({ problems, text }: Reading, timezone: string): OneTimeSchedule | undefined {
  const scheduled_at = text('scheduled_at') ?? ''
  if (readWallClock(scheduled_at)) {
    const isWithoutSeconds = /T\d{2}:\d{2}(?!:)/.test(scheduled_at)
    return { scheduled_at: isWithoutSeconds ? scheduled_at.replace(/(T\d{2}:\d{2})/, '$1:00') : scheduled_at, timezone }
  }
  problems.push('scheduled_at must be a valid datetime (ISO 8601 format)')
  return undefined
}

function readRecurring(read: Reading, timezone: string): RecurringSchedule | undefined {
  const { problems, text, word, isGiven } = read
  if (!isGiven('unit')) problems.push('must include unit for schedule conditions')
  const unit = word('unit', scheduleUnits)
  const interval = readInterval(read)
  const time = text('time')
  if (time !== undefined && !/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) problems.push('time must be in HH:MM format')
  if ((unit === 'days' || unit === 'weeks') && time === undefined)
    problems.push(`must include time for ${unit} schedules`)
  const day_of_week = word('day_of_week', weekdays)
  if (unit === 'weeks' && !isGiven('day_of_week')) problems.push('must include day_of_week for weekly schedules')
  if (problems.length > 0 || unit === undefined || interval === undefined) return undefined
  return {
    unit,
    interval,
    ...((unit === 'days' || unit === 'weeks') && time !== undefined && { time }),
    ...(unit === 'weeks' && day_of_week !== undefined && { day_of_week }),
    timezone,
  }
}

function readInterval({ problems, value, isGiven }: Reading): number | undefined {
  if (!isGiven('interval')) {
    problems.push('must include interval for schedule conditions')
    return undefined
  }
  const given = value('interval')
  const interval = typeof given === 'string' && /^-?\d{1,9}$/.test(given.trim()) ? Number(given) : given
  if (typeof interval !== 'number' || !Number.isInteger(interval)) problems.push('interval must be an integer')
  else if (interval < 1) problems.push('interval must be at least 1')
  else if (interval > maxInterval) problems.push(`interval must be at most ${maxInterval}`)
  else return interval
  return undefined
}

/** The instant of a one-time schedule: its own offset, if it has one, outranks the zone. */
export function instantOfOneTime({ scheduled_at, timezone }: OneTimeSchedule): Date {
  const read = readWallClock(scheduled_at)
  if (!read) throw new Error(`a stored schedule is invalid: ${scheduled_at}`)
  const { clock, offset } = read
  if (offset === '') return instantOf(clock, timezone)
  const shown = Date.UTC(clock.year, clock.month - 1, clock.day, clock.hour, clock.minute, clock.second)
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? []
  return new Date(shown - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000)
}

const elapsedMs = { minutes: 60_000, hours: 3_600_000 } as const
const dayMs = 86_400_000

/** The first slot: at once for minutes and hours, the first configured time after it was armed for days and weeks. */
export function firstRun(schedule: RecurringSchedule, armedAt: Date): Date {
  if (schedule.unit === 'minutes' || schedule.unit === 'hours') return armedAt
  return slotsFrom(schedule, armedAt).slot(0)
}

/**
 * The first slot after an instant. Minutes and hours count from the time it was armed; days and weeks are dates in the
 * condition's zone, counted from its first slot, so a late fire never shifts the next one.
 */
export function nextRun(schedule: RecurringSchedule, armedAt: Date, after: Date): Date {
  if (schedule.unit === 'minutes' || schedule.unit === 'hours') {
    const step = schedule.interval * elapsedMs[schedule.unit]
    const passed = Math.floor((after.getTime() - armedAt.getTime()) / step)
    return new Date(armedAt.getTime() + Math.max(0, passed + 1) * step)
  }
  const { slot, stepDays, firstDay } = slotsFrom(schedule, armedAt)
  const today = dayNumber(wallClockAt(after, schedule.timezone))
  // One step back: a time that a clock change moves may belong to the day before.
  let index = Math.max(0, Math.floor((today - firstDay) / stepDays) - 1)
  while (slot(index) <= after) index += 1
  return slot(index)
}

function slotsFrom({ unit, interval, time = '00:00', day_of_week, timezone }: RecurringSchedule, armedAt: Date) {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const stepDays = interval * (unit === 'weeks' ? 7 : 1)
  const instantOn = (day: number): Date => {
    const date = new Date(day * dayMs)
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
    return instantOf({ year, month, day: date.getUTCDate(), hour, minute, second: 0 }, timezone)
  }
  let firstDay = dayNumber(wallClockAt(armedAt, timezone))
  while (!isOnWeekday(firstDay, day_of_week) || instantOn(firstDay) <= armedAt) firstDay += 1
  return { firstDay, stepDays, slot: (index: number): Date => instantOn(firstDay + index * stepDays) }
}

/** Days since 1970-01-01, which was a Thursday. */
function dayNumber({ year, month, day }: WallClock): number {
  return Date.UTC(year, month - 1, day) / dayMs
}

function isOnWeekday(day: number, name: RecurringSchedule['day_of_week']): boolean {
  return name === undefined || weekdays[(((day + 3) % 7) + 7) % 7] === name
}
