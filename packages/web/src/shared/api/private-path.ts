import { keep, kept } from '../state/keep.ts'

const key = 'yardmaster.private-path'

/**
 * Below which this browser sends its requests, and the path of its cookie. Browsers send a cookie to every port of a host, but only for
 * its path, and pages of other ports cannot read this storage. Read again each time: another tab may have written it.
 */
export function privatePath(): string {
  const saved = kept(key)
  if (saved) return saved
  const secret = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24)))
  const path = `/web/~${btoa(secret).replace(/[+/]/g, '-')}`
  keep(key, path)
  return path
}

/** Where a page that the server renders is read with the cookie. */
export function serverPage(href: string): string {
  return href === '/jobs' ? privatePath() + href : href
}
