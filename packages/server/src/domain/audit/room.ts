import { listAuditEntries as contract } from '@yardmaster/contract/audit/endpoints'
import { bindList, prune, type Room } from '../app.ts'
import { listAuditEntries } from './audit.ts'
import { deleteOldAuditEntries } from './audit-store.ts'

export const audit: Room = {
  name: 'audit',
  endpoints: [bindList(contract, ({ filters, page }, app) => listAuditEntries(app, filters, page))],
  periodic: [
    prune({ name: 'prune_audit', keeps: 'audit', deleteSome: ({ db }, slice) => deleteOldAuditEntries(db, slice) }),
  ],
}
