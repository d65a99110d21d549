import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Pricing } from '@yardmaster/contract/costs/fields'
import type { Clock } from '../../platform/clock.ts'
import { notJson, parseJsonFile, placeOf, readProblem } from '../../platform/files/json-file.ts'
import { openNonBlocking, readText } from '../../platform/files/untrusted-file.ts'
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
  let lastRead: Promise<void> = Promise.resolve()

  const readIfChanged = async (file: string): Promise<void> => {
    if (mark !== undefined && mark === (await currentMark(file))) return
    const read = await readTables(file, clock)
    if (read.tables) {
      tables = read.tables
      source = 'file'
    } else if (read.problem !== problem) {
      log.error({ reason: read.problem }, 'the price file cannot be used; the last good prices stay')
    }
    problem = read.problem
    mark = read.mark
  }

  /** One after the other: a caller that comes while the file is read must not answer from the table before. */
  const readAgain = (file: string): Promise<void> => {
    const read = () => readIfChanged(file)
    lastRead = lastRead.then(read, read)
    return lastRead
  }

  return {
    asOf: async (time = clock.now()) => {
      if (path !== undefined) await readAgain(path)
      const day = time.toISOString().slice(0, 10)
      const begun = tables.find(({ validFrom }) => (validFrom ?? '') <= day)
      const table = begun ?? tables.at(-1)
      if (!table) throw new Error('there is no price table')
      const notBegun = begun ? null : `The price file has no version for ${day}; that of ${table.validFrom} is used.`
      return { table, pricing: presentPricing(table, source, problem ?? notBegun) }
    },
  }
}

/** Changes whenever the file is written or replaced, or gets other permissions. */
function markOf({ dev, ino, size, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${ctimeMs}`
}

/** Two changes within one tick of the kernel's clock have one time, so the mark of a file that has just changed misses the second. */
const settledAfterMs = 1000

/** Undefined, so that the file is read again, while a change could still go unnoticed. */
export function settledMark(stats: Stats, now: Date): string | undefined {
  return now.getTime() - stats.ctimeMs < settledAfterMs ? undefined : markOf(stats)
}

function currentMark(path: string): Promise<string | undefined> {
  return stat(path).then(markOf, () => undefined)
}

/** A price file is a few kilobytes. */
const maxBytes = 1024 * 1024

type Parsed = { tables: PriceTable[]; problem: null } | { tables?: undefined; problem: string }
/** Also without a mark if the operating system refused: what is wrong may end without a change of the file. */
type Read = Parsed & { mark: string | undefined }

/** A pipe would block, and a device never end. */
async function readTables(path: string, clock: Clock): Promise<Read> {
  try {
    const file = await openNonBlocking(path)
    try {
      const stats = await file.stat()
      const mark = settledMark(stats, clock.now())
      if (!stats.isFile()) return { ...failed('is not a regular file'), mark }
      if (stats.size > maxBytes) return { ...failed('is larger than 1 MB'), mark }
      return { ...parseTables(await readText(file, stats.size)), mark }
    } finally {
      await file.close()
    }
  } catch (error) {
    return { ...failed(readProblem(error)), mark: undefined }
  }
}

function parseTables(content: string): Parsed {
  const value = parseJsonFile(content)
  if (value === undefined) return failed(notJson)
  const { data, error } = PriceFile.safeParse(value)
  if (data) return { tables: tablesOf(data), problem: null }
  const [issue] = error.issues
  return failed(`has a mistake: ${placeOf(issue?.path ?? []) || 'it '}${issue?.message}`)
}

function failed(reason: string): { problem: string } {
  return { problem: `The price file ${reason}.` }
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
