import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'
import { type SealedTable, sealedRows } from './sealed-columns.ts'
import type { Vault } from './vault.ts'

type Watched = {
  vault: Vault
  db: Database
  tables: readonly SealedTable[]
  log: Log
  /** Called after each load, on every role: for what keeps opened values in memory. */
  onLoaded?(): Promise<void>
}

/** How soon this host knows what another host sealed and this one has not opened. */
const reloadMs = 30_000

/**
 * Opens every sealed value before this host stores a line of an agent, and then every half minute: so the redactor knows also
 * those that other hosts seal, and forgets none that is stored in favour of one that was replaced.
 */
export async function watchSealed(watched: Watched): Promise<{ close(): Promise<void> }> {
  const unopened = new Set<string>()
  await load(watched, unopened)
  if (watched.vault.isFull())
    watched.log.warn('there are more credentials than the redactor can know; the oldest are not redacted')
  const closed = new AbortController()
  const failureLevel = retryLevel()
  const poll = async (): Promise<void> => {
    for (;;) {
      await wait(reloadMs, undefined, { signal: closed.signal, ref: false }).catch(() => undefined)
      if (closed.signal.aborted) return
      try {
        await load(watched, unopened)
        failureLevel.reset()
      } catch (error) {
        watched.log[failureLevel.of(error)]({ err: error }, 'the sealed values could not be read for redaction')
      }
    }
  }
  const polling = poll()
  return {
    close: async () => {
      closed.abort()
      await polling
    },
  }
}

/** What cannot be opened is logged once. */
async function load({ vault, db, tables, log, onLoaded }: Watched, unopened: Set<string>): Promise<void> {
  for (const declared of tables) {
    for await (const rows of sealedRows(db, declared)) {
      for (const { id, values } of rows) {
        for (const [column, sealed] of Object.entries(values)) {
          if (sealed === null || unopened.has(sealed)) continue
          try {
            vault.open({ table: declared.table, column, id }, sealed)
          } catch (error) {
            unopened.add(sealed)
            log.error({ err: error, table: declared.table, column, id }, 'a sealed value cannot be opened')
          }
        }
      }
    }
  }
  await onLoaded?.()
}
