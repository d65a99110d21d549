/** Null for a time that no date can hold: a person can write anything into a login file, and a vendor into a token. */
export function expiryOf(ms: number | null | undefined): string | null {
  const date = ms ? new Date(ms) : undefined
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null
}
