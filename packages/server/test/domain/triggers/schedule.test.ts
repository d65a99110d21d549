import type { RecurringSchedule } from '@yardmaster/contract/triggers/conditions'
import { describe, expect, test } from 'vitest'
import { firstRun, instantOfOneTime, nextRun } from '../../../src/domain/triggers/conditions/schedule.ts'

const at = (text: string): Date => new Date(text)

/** The slots that a schedule fires at, each found from the one before. */
function slots(schedule: RecurringSchedule, armedAt: string, count: number): string[] {
  const found: string[] = []
  for (let next = firstRun(schedule, at(armedAt)); found.length < count; next = nextRun(schedule, at(armedAt), next))
    found.push(next.toISOString().slice(0, 16))
  return found
}

const daily = (time: string, timezone: string, interval = 1): RecurringSchedule => ({
  unit: 'days',
  interval,
  time,
  timezone,
})

describe('the slots of a schedule', () => {
  test('of days keep their local hour when clocks go forward and back', () => {
    expect(slots(daily('09:00', 'Europe/Vilnius'), '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T07:00',
      '2026-03-29T06:00',
      '2026-03-30T06:00',
    ])
    expect(slots(daily('09:00', 'America/New_York'), '2026-10-30T20:00:00Z', 3)).toEqual([
      '2026-10-31T13:00',
      '2026-11-01T14:00',
      '2026-11-02T14:00',
    ])
  })

  test('at an hour that clocks skip fire once that day, an hour later by the clock', () => {
    expect(slots(daily('02:30', 'Europe/Berlin'), '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ])
  })

  test('at an hour that occurs twice fire once that day, at the first of the two', () => {
    expect(slots(daily('02:30', 'Europe/Berlin'), '2026-10-24T01:00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
      '2026-10-27T01:30',
    ])
  })

  test('of days begin with the first configured time after they were armed', () => {
    expect(slots(daily('09:00', 'UTC'), '2026-05-01T08:59:00Z', 1)).toEqual(['2026-05-01T09:00'])
    expect(slots(daily('09:00', 'UTC'), '2026-05-01T09:00:00Z', 1)).toEqual(['2026-05-02T09:00'])
    expect(slots(daily('09:00', 'UTC', 3), '2026-05-01T10:00:00Z', 3)).toEqual([
      '2026-05-02T09:00',
      '2026-05-05T09:00',
      '2026-05-08T09:00',
    ])
  })

  test('of weeks stay on their weekday, whatever the interval and the zone', () => {
    const weekly: RecurringSchedule = {
      unit: 'weeks',
      interval: 2,
      time: '00:15',
      day_of_week: 'monday',
      timezone: 'Pacific/Auckland',
    }
    expect(slots(weekly, '2026-09-14T12:00:00Z', 3)).toEqual([
      '2026-09-20T12:15',
      '2026-10-04T11:15',
      '2026-10-18T11:15',
    ])
  })

  test('are not moved by a late fire', () => {
    const weekly: RecurringSchedule = {
      unit: 'weeks',
      interval: 1,
      time: '09:00',
      day_of_week: 'friday',
      timezone: 'UTC',
    }
    expect(nextRun(weekly, at('2026-05-01T00:00:00Z'), at('2026-05-04T17:00:00Z'))).toEqual(at('2026-05-08T09:00:00Z'))
    expect(nextRun(daily('09:00', 'UTC', 2), at('2026-05-01T00:00:00Z'), at('2026-05-04T17:00:00Z'))).toEqual(
      at('2026-05-05T09:00:00Z'),
    )
  })

  test('of minutes and hours are due at once and then count from the time they were armed', () => {
    const armedAt = '2026-05-01T10:07:30.000Z'
    const hours: RecurringSchedule = { unit: 'hours', interval: 2, timezone: 'UTC' }
    expect(slots(hours, armedAt, 3)).toEqual(['2026-05-01T10:07', '2026-05-01T12:07', '2026-05-01T14:07'])
    const minutes: RecurringSchedule = { unit: 'minutes', interval: 15, timezone: 'UTC' }
    expect(nextRun(minutes, at(armedAt), at('2026-05-01T11:00:00Z'))).toEqual(at('2026-05-01T11:07:30Z'))
    expect(nextRun(minutes, at(armedAt), at('2026-05-01T09:00:00Z'))).toEqual(at(armedAt))
  })

  test('of a one-time schedule are one instant in its zone, or by its own offset', () => {
    const once = (scheduled_at: string, timezone = 'Europe/Vilnius') => instantOfOneTime({ scheduled_at, timezone })
    expect(once('2026-09-02T08:15:00')).toEqual(at('2026-09-02T05:15:00Z'))
    expect(once('2026-09-02T08:15:00Z')).toEqual(at('2026-09-02T08:15:00Z'))
    expect(once('2026-09-02T08:15:00-0230')).toEqual(at('2026-09-02T10:45:00Z'))
  })
})
