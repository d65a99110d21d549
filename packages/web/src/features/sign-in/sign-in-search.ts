/** Where to go after signing in: an address of this site. */
export function signInSearch(raw: Record<string, unknown>): { next?: string } {
  const { next } = raw
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {}
}
