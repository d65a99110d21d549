import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect } from 'vitest'
import { testApp } from '../app/app.ts'

/** Two days in August 2026. */
export const span = 'from=2026-08-01T00:00:00Z&to=2026-08-03T00:00:00Z'

export const at = (time: string) => new Date(time)

/** An app with a price file of two versions, whose ledger is empty before each test. */
export function pricedApp(environment: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-prices-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const pricesPath = join(folder, 'prices.json')
  const file = (versions: unknown) => writeFileSync(pricesPath, JSON.stringify({ versions }))
  const today = {
    valid_from: '2026-06-01',
    per_mtok: { opus: { input: 5, output: 25 }, 'opus-mini': { input: 1, output: 2 } },
  }
  const before = { valid_from: '2020-01-01', per_mtok: { opus: { input: 50, output: 250 } } }
  file([before, today])

  const app = testApp({ environment: { PRICES_PATH: pricesPath, ...environment } })
  beforeEach(async () => {
    await app.pool.query('delete from session_usage')
  })
  const costs = async (query = span) => {
    const { status, body } = await app.get(`/costs?${query}`)
    expect(status).toBe(200)
    return body
  }
  return { app, pricesPath, file, today, before, costs }
}
