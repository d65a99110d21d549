import { beforeEach, type TestOptions } from 'vitest'

/**
 * Options of tests about what was spent today: a daily budget starts again at midnight UTC, also between two steps of a test.
 * Only if midnight came while a test ran and failed, vitest runs it once more; the next midnight is a day away.
 */
export function onOneDay(): TestOptions {
  let begunOn = ''
  beforeEach(() => {
    begunOn = today()
  })
  return { retry: { count: 1, condition: () => today() !== begunOn } }
}

/** In UTC, as 2026-08-22. */
export const today = () => new Date().toISOString().slice(0, 10)
