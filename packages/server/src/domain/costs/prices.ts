import { readFile, stat } from 'node:fs/promises'
import type { Pricing } from '@yardmaster/contract/costs/fields'
import type { Clock } from '../../platform/clock.ts'
import { notJson, parseJsonFile, placeOf, readProblem } from '../../platform/files/json-file.ts'
import type { Log } from '../../platform/log/log.ts'
import type { FamilyPrices } from '../../runtimes/prices.ts'
import { PriceFile, type PriceTable, priceTable, tablesOf } from './price-table.ts'

declare module '../app.ts' {
  interface App {
    prices: Prices
  }
}

export type Prices = {
  /** The table that was valid at a time, by default now. Reads the operator's file again if it has changed. */
  asOf(time?: Date): Promise<{ table: PriceTable; pricing: Pricing }>
}

type Options = { path: string | undefined; builtIn: FamilyPrices; clock: Clock; log: Log }

/** A file that cannot be used is reported in the log and in every answer; the last good table stays. */
export function openPrices({ path, builtIn, clock, log }: Options): Prices {
  let tables: readonly PriceTable[] = [priceTable(builtIn)]
  let source: Pricing['source'] = 'built_in'
  let problem: string | null = null
  let mark: string | undefined

  const readAgain = async (file: string): Promise<void> => {
    const newMark = await markOf(file)
    if (newMark === mark) return
    mark = newMark
    const read = await readTables(file)
    problem = read.problem
    if (read.tables) {
      tables = read.tables
      source = 'file'
    } else log.error({ reason: problem }, 'the price file cannot be used; the last good prices stay')
  }

  return {
    asOf: async (time = clock.now()) => {
      if (path !== undefined) await readAgain(path)
      const day = time.toISOString().slice(0, 10)
      const table = tables.find(({ validFrom }) => (validFrom ?? '') <= day) ?? tables.at(-1)
      if (!table) throw new Error('there is no price table')
      return { table, pricing: presentPricing(table, source, problem) }
    },
  }
}

/** Changes whenever the file is written or replaced. */
async function markOf(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, size, mtimeMs }) => `${ino}:${size}:${mtimeMs}`,
    () => 'unreadable',
  )
}

/** A price file is a few kilobytes. */
const maxBytes = 1024 * 1024

type Read = { tables: PriceTable[]; problem: null } | { tables?: undefined; problem: string }

async function readTables(path: string): Promise<Read> {
  const failed = (reason: string): Read => ({ problem: `The price file ${reason}.` })
  try {
    const { size } = await stat(path)
    if (size > maxBytes) return failed('is larger than 1 MB')
    const value = parseJsonFile(await readFile(path, 'utf8'))
    if (value === undefined) return failed(notJson)
    const { data, error } = PriceFile.safeParse(value)
    if (data) return { tables: tablesOf(data), problem: null }
    const [issue] = error.issues
    return failed(`has a mistake: ${placeOf(issue?.path ?? [])}${issue?.message}`)
  } catch (error) {
    return failed(readProblem(error))
  }
}

function presentPricing(table: PriceTable, source: Pricing['source'], problem: string | null): Pricing {
  return {
    note: 'List price, applied on read. Volumes are stored; prices are not.',
    source,
    valid_from: table.validFrom,
    problem,
    cache_multipliers: table.multipliers,
    web_search_per_1k_requests: table.webSearchPer1k,
    per_mtok: table.perMtok,
  }
}
