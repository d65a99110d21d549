import { procTable } from './proc-table.ts'
import type { ProcessTable } from './process-identity.ts'
import { psTable } from './ps-table.ts'

export type { MarkedProcess, ProcessIdentity, ProcessTable } from './process-identity.ts'

/** `/proc` on Linux: exact to the tick, and needs no child process. `ps` elsewhere. */
export function processTable(): ProcessTable {
  return process.platform === 'linux' ? procTable() : psTable()
}
