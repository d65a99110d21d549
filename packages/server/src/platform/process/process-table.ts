import { procTable } from './proc-table.ts'
import type { ProcessTable } from './process-identity.ts'
import { psTable } from './ps-table.ts'

export type { ProcessIdentity, ProcessTable } from './process-identity.ts'

/** `/proc` where there is one: it is exact to the tick and costs no process of its own. Otherwise `ps`. */
export function processTable(): ProcessTable {
  return process.platform === 'linux' ? procTable() : psTable()
}
