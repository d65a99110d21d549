/** A local date and time without a time zone. */
export type WallClock = { year: number; month: number; day: number; hour: number; minute: number; second: number }

const dayMs = 86_400_000

export function isTimeZone(name: string): boolean {
  // `Intl` also accepts bare offsets such as +02:00, which are not IANA names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** `Date.UTC` reads a year below 100 as one of the last century. */
const grammar =
  /^([1-9]\d{3})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/

/** Reads ISO 8601 such as `2026-09-05T08:00`, with the offset that follows it, if any. Undefined for anything else. */
export function readWallClock(text: string): { clock: WallClock; offset: string } | undefined {
  const [, ...parts] = grammar.exec(text) ?? []
  if (parts.length === 0) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal ? { clock: { year, month, day, hour, minute, second }, offset: parts[6] ?? '' } : undefined
}

/** What clocks in the zone show at an instant. */
export function wallClockAt(instant: Date, timeZone: string): WallClock {
  const shown = new Date(instant.getTime() + offsetMs(instant.getTime(), timeZone))
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
  }
}

/** A time that a clock change skips moves forward; a time that occurs twice means the first occurrence. */
export function instantOf(clock: WallClock, timeZone: string): Date {
  const shown = Date.UTC(clock.year, clock.month - 1, clock.day, clock.hour, clock.minute, clock.second)
  const before = offsetMs(shown - dayMs, timeZone)
  const after = offsetMs(shown + dayMs, timeZone)
  const readings = [shown - before, shown - after].filter((instant) => instant + offsetMs(instant, timeZone) === shown)
  return new Date(readings.length > 0 ? Math.min(...readings) : shown - before)
}

/** The zone's offset from UTC at an instant; positive when the zone is ahead of UTC. */
function offsetMs(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant)
  const of = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value)
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return shown - Math.floor(instant / 1000) * 1000
}
