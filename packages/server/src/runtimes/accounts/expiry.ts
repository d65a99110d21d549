/** The last time that callers and PostgreSQL read alike: the end of the year 9999. */
const lastMs = 253_402_300_799_999

/** Null for a time that no date can hold: a person can write anything into a login file, and a vendor into a token. */
export function expiryOf(ms: number | null | undefined): string | null {
  return ms && ms > 0 && ms <= lastMs ? new Date(ms).toISOString() : null
}
