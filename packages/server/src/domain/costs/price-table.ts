import type { costComponents } from '@yardmaster/contract/costs/fields'
import { z } from 'zod'
import { pricedVolumes } from './cost-store.ts'

const dollars = z.number('must be a number of dollars').min(0, 'must be 0 or more').max(1_000_000, 'is too large')
const multiple = z.number('must be a number').min(0, 'must be 0 or more').max(1000, 'is too large')

/** In words of our own, because an operator reads them in `pricing.problem`. */
const objectProblem = {
  error: ({ code, keys }: { code: string; keys?: string[] }) =>
    code === 'unrecognized_keys' ? `has the unknown key ${keys?.[0]?.slice(0, 100)}` : 'must be an object',
}

const Family = z.strictObject(
  {
    input: dollars,
    output: dollars,
    cache_read: dollars.optional(),
    cache_write_5m: dollars.optional(),
    cache_write_1h: dollars.optional(),
  },
  objectProblem,
)

const isFamilyName = (name: string): boolean => name.length > 0 && name.length <= 200

const Families = z
  .record(z.string(), Family, 'must be an object of families')
  .refine((families) => Object.keys(families).every(isFamilyName), 'must name families with 1 to 200 characters')
  .refine((families) => new Set(lowerKeys(families)).size === Object.keys(families).length, {
    message: 'must not name a family twice: capital letters make no difference',
  })
  .transform((families) =>
    Object.fromEntries(Object.entries(families).map(([name, family]) => [name.toLowerCase(), family])),
  )

function lowerKeys(families: object): string[] {
  return Object.keys(families).map((name) => name.toLowerCase())
}

const Version = z.strictObject(
  {
    valid_from: z.iso.date('must be a date like 2026-08-31'),
    cache_multipliers: z
      .strictObject({ read: multiple, write_5m: multiple, write_1h: multiple }, objectProblem)
      .optional(),
    web_search_per_1k_requests: dollars.optional(),
    per_mtok: Families,
  },
  objectProblem,
)

/** `{"versions": [{"valid_from", "per_mtok": {"<family>": {"input", "output"}}, ...}]}`: what the operator's file holds. */
export const PriceFile = z.strictObject(
  {
    versions: z
      .array(Version, 'must be a list')
      .min(1, 'must name at least one version')
      .refine((rows) => new Set(rows.map((row) => row.valid_from)).size === rows.length, {
        message: 'must not name a day twice',
      }),
  },
  objectProblem,
)

type Component = (typeof costComponents)[number]

/** US dollars per million tokens. */
type Rates = { input: number; output: number; cache_read: number; cache_write_5m: number; cache_write_1h: number }

/** The prices that are valid on a day. */
export type PriceTable = {
  validFrom: string | null
  multipliers: { read: number; write_5m: number; write_1h: number }
  webSearchPer1k: number
  perMtok: Readonly<Record<string, Rates>>
}

const usualMultipliers = { read: 0.1, write_5m: 1.25, write_1h: 2 }
const usualWebSearchPer1k = 10

/** The versions, the latest first. */
export function tablesOf({ versions }: z.output<typeof PriceFile>): PriceTable[] {
  return versions
    .map((version) =>
      priceTable(version.per_mtok, {
        validFrom: version.valid_from,
        multipliers: version.cache_multipliers,
        webSearchPer1k: version.web_search_per_1k_requests,
      }),
    )
    .toSorted((one, other) => ((one.validFrom ?? '') < (other.validFrom ?? '') ? 1 : -1))
}

/** Derives the cache rates that a family does not name. */
export function priceTable(
  families: Readonly<Record<string, z.output<typeof Family>>>,
  {
    validFrom = null,
    multipliers = usualMultipliers,
    webSearchPer1k = usualWebSearchPer1k,
  }: {
    validFrom?: string | null
    multipliers?: PriceTable['multipliers'] | undefined
    webSearchPer1k?: number | undefined
  } = {},
): PriceTable {
  const derived = Object.entries(families).map(([name, family]) => {
    const rates: Rates = {
      input: family.input,
      output: family.output,
      cache_read: family.cache_read ?? rounded(family.input * multipliers.read),
      cache_write_5m: family.cache_write_5m ?? rounded(family.input * multipliers.write_5m),
      cache_write_1h: family.cache_write_1h ?? rounded(family.input * multipliers.write_1h),
    }
    return [name, rates] as const
  })
  return { validFrom, multipliers, webSearchPer1k, perMtok: Object.fromEntries(derived) }
}

/** What calls used, alone or summed up. */
export type Volumes = {
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_creation_5m_tokens: number
  cache_creation_1h_tokens: number
  /** Cache writes of calls that report no lifetime: charged as if for an hour. */
  cache_creation_unsplit_tokens: number
  web_search_requests: number
}

/** Dollars for one unit of each volume. Undefined for a model without a rate. */
export type UnitPrices = Readonly<Record<keyof Volumes, number>>

/** The most exact name in the table that the model's name contains. */
export function familyOf({ perMtok }: PriceTable, model: string): string | undefined {
  const id = model.toLowerCase()
  const [family] = Object.keys(perMtok)
    .filter((name) => id.includes(name))
    .toSorted((one, other) => other.length - one.length)
  return family
}

export function unitPricesOf(table: PriceTable, model: string): UnitPrices | undefined {
  const { perMtok, webSearchPer1k } = table
  const family = familyOf(table, model)
  const rates = family === undefined ? undefined : perMtok[family]
  if (!rates) return undefined
  return {
    input_tokens: rates.input / 1e6,
    output_tokens: rates.output / 1e6,
    cache_read_tokens: rates.cache_read / 1e6,
    cache_creation_5m_tokens: rates.cache_write_5m / 1e6,
    cache_creation_1h_tokens: rates.cache_write_1h / 1e6,
    cache_creation_unsplit_tokens: rates.cache_write_1h / 1e6,
    web_search_requests: webSearchPer1k / 1e3,
  }
}

/** Which component each volume belongs to. */
export const componentOf: Readonly<Record<keyof Volumes, Component>> = {
  input_tokens: 'fresh input',
  output_tokens: 'output',
  cache_read_tokens: 'cache read',
  cache_creation_5m_tokens: 'cache write (5m)',
  cache_creation_1h_tokens: 'cache write (1h)',
  cache_creation_unsplit_tokens: 'cache write (1h)',
  web_search_requests: 'web search',
}

export function costOf(prices: UnitPrices | undefined, volumes: Volumes): number {
  if (!prices) return 0
  return pricedVolumes.reduce((sum, volume) => sum + volumes[volume] * prices[volume], 0)
}

/** To a millionth of a dollar. */
export function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6
}
