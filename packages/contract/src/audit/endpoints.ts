import { defineList } from '../endpoint.ts'
import { AuditEntry, AuditFilters } from './fields.ts'

export const listAuditEntries = defineList({
  name: 'audit.list',
  auth: 'api_key',
  needsFullScope: true,
  path: '/audit',
  tag: 'Audit',
  summary: 'List who changed what, the latest first',
  description:
    'Every operation that changes something, on the API, the dashboard, as a tool and on the pages of the operator. Without bodies. Entries appear within a second. Not for keys that may only read.',
  key: 'audit_entries',
  item: AuditEntry,
  filters: AuditFilters,
})

export const endpoints = [listAuditEntries] as const
