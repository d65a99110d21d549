import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { at, pricedApp, span } from '../../support/costs/priced-app.ts'
import { insertUsage } from '../../support/costs/usage-rows.ts'

const { app, pricesPath, file, today, before, costs } = pricedApp()

describe('prices', () => {
  const call = { called_at: at('2026-08-01T10:00:00Z'), input_tokens: 1e6, output_tokens: 0 }
  const asked = async (query = span) => {
    const { totals, pricing } = await costs(query)
    return { cost: totals.cost_usd, ...pricing }
  }

  test('a caller may ask for the rates that were valid at another time', async () => {
    await insertUsage(app.pool, call)
    expect(await asked()).toMatchObject({ cost: 5, source: 'file', valid_from: '2026-06-01', problem: null })
    expect(await asked(`${span}&as_of=2021-01-01`)).toMatchObject({ cost: 50, valid_from: '2020-01-01' })
    expect(await asked(`${span}&as_of=1999-01-01`)).toMatchObject({ cost: 50, valid_from: '2020-01-01' })
  })

  test('pricing shows the rates with the cache rates that follow from them', async () => {
    const { pricing } = await costs()
    expect(pricing).toEqual({
      note: expect.stringContaining('List price'),
      source: 'file',
      valid_from: '2026-06-01',
      problem: null,
      cache_multipliers: { read: 0.1, write_5m: 1.25, write_1h: 2 },
      web_search_per_1k_requests: 10,
      per_mtok: {
        opus: { input: 5, output: 25, cache_read: 0.5, cache_write_5m: 6.25, cache_write_1h: 10 },
        'opus-mini': { input: 1, output: 2, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 },
      },
    })
  })

  test('a replaced price file counts at once; a malformed one is named in a sentence and the last good prices stay', async () => {
    await insertUsage(app.pool, call)
    file([{ ...today, per_mtok: { Opus: { input: 7, output: 1, cache_read: 3 } }, web_search_per_1k_requests: 4 }])
    expect(await asked()).toMatchObject({
      cost: 7,
      web_search_per_1k_requests: 4,
      per_mtok: { opus: { cache_read: 3 } },
    })
    const bad: [unknown, string][] = [
      ['{', 'The price file is not valid JSON.'],
      [{ versions: [] }, 'The price file has a mistake: versions must name at least one version.'],
      [{ versions: [today, today] }, 'The price file has a mistake: versions must not name a day twice.'],
      [
        { versions: [{ ...today, per_mtok: { opus: { input: -1, output: 1 } } }] },
        'The price file has a mistake: versions[0].per_mtok.opus.input must be 0 or more.',
      ],
      [
        { versions: [{ ...today, valid_from: 'soon' }] },
        'The price file has a mistake: versions[0].valid_from must be a date like 2026-08-31.',
      ],
    ]
    for (const [content, problem] of bad) {
      writeFileSync(pricesPath, typeof content === 'string' ? content : JSON.stringify(content))
      expect(await asked()).toMatchObject({ cost: 7, problem })
    }
    await rm(pricesPath)
    expect(await asked()).toMatchObject({ cost: 7, problem: 'The price file does not exist.' })
    file([before, today])
    expect(await asked()).toMatchObject({ cost: 5, problem: null })
  })
})
