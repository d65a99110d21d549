const options = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const

/** "Tue 17 Nov, 09:00" as clocks in the zone show it; with the year unless it is this one. */
export function timeIn(zone: string, at: Date, now: Date): string {
  const isThisYear = at.getFullYear() === now.getFullYear()
  const year = isThisYear ? {} : ({ year: 'numeric' } as const)
  return new Intl.DateTimeFormat(undefined, { ...options, ...year, timeZone: zone }).format(at)
}

/** "UTC+02:00" */
export function offsetIn(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  return name.replace('GMT', 'UTC')
}

/** For each time: the zones of these whose clocks have changed since the time before. */
export function clockChanges(times: readonly Date[], zones: readonly string[], now: Date): string[][] {
  return times.map((at, index) => {
    const before = times[index - 1] ?? now
    return zones.filter((zone) => offsetIn(zone, at) !== offsetIn(zone, before))
  })
}
