/** `2026-09-05T08:00`, as the clock on the wall shows it: the API takes local time and the name of the zone. */
export function wallTime(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}

const clock = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })

/** The usual ends of a snooze, seen from `now`: "In 1 hour (Tue 10:15)". */
export function snoozePresets(now: Date): readonly { label: string; until: string }[] {
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000)
  const at = (days: number, hour: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, 0)
  const daysToMonday = ((8 - now.getDay()) % 7 || 7) as number
  const presets: [string, Date][] = [
    ['In 1 hour', inHours(1)],
    ['In 3 hours', inHours(3)],
    ...(now.getHours() < 17 ? ([['This evening', at(0, 18)]] as [string, Date][]) : []),
    ['Tomorrow morning', at(1, 8)],
    ['Next Monday', at(daysToMonday, 8)],
  ]
  return presets.map(([label, date]) => ({ label: `${label} (${clock.format(date)})`, until: wallTime(date) }))
}
