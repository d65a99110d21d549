/** Reads the header `retry-after`: a number of seconds, or the date until which to wait. Undefined if it is neither. */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,12}$/.test(header)) return Number(header)
  const until = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(until) ? undefined : Math.max(1, Math.ceil((until - Date.now()) / 1000))
}
