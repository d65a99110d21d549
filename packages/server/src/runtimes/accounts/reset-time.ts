/** The longest window is a week. A vendor that names a later end has a bug, or counts milliseconds. */
const maxDays = 35

/** When a quota window ends, by the seconds that the vendor tells. Null for a time that cannot be: the account is then asked. */
export function resetTime(seconds: number | null | undefined): Date | null {
  if (seconds == null || !(seconds > 0)) return null
  const ms = seconds * 1000
  return ms < Date.now() + maxDays * 24 * 3600_000 ? new Date(ms) : null
}
