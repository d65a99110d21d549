import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { PageQuery, Pagination } from '../paging.ts'
import {
  AdhocRecord,
  BackfillRun,
  Costs,
  CostsQuery,
  LedgerCoverage,
  Pricing,
  RecordsQuery,
  recordKinds,
  SessionRecord,
} from './fields.ts'
import { Window } from './window.ts'

const tag = 'Costs'

export const showCosts = defineEndpoint({
  name: 'costs.show',
  auth: 'api_key',
  method: 'GET',
  path: '/costs',
  tag,
  summary: 'Show what model calls cost in a window of time',
  description:
    'Volumes are stored; dollars are computed from the price table when they are read, at list price. A model without a rate adds its tokens and no dollars, and is listed in `unpriced_models`.',
  query: CostsQuery,
  answers: { 200: Costs },
  refusals: ['not_found'],
})

export const listCostRecords = defineEndpoint({
  name: 'costs.records',
  auth: 'api_key',
  method: 'GET',
  path: '/costs/records',
  tag,
  summary: 'List model calls, the latest first',
  query: z.object({ ...PageQuery.shape, ...RecordsQuery.shape }),
  answers: {
    200: z.object({
      kind: z.enum(recordKinds).meta({ description: 'The kind of calls that are listed.' }),
      window: Window,
      pricing: Pricing,
      records: z.array(z.union([SessionRecord, AdhocRecord])).meta({ description: 'One page of them.' }),
      pagination: Pagination,
    }),
  },
  refusals: ['not_found'],
})

export const backfillCosts = defineEndpoint({
  name: 'costs.backfill',
  auth: 'api_key',
  method: 'POST',
  path: '/costs/backfill',
  tag,
  summary: 'Read the usage of all sessions again',
  description:
    'Adds calls that the ledger lacks, and completes those that it has; no figure goes down. Answers with the run that is already under way, if there is one.',
  answers: {
    200: z.object({
      queued: z.literal(true).meta({ description: 'A run is queued or under way.' }),
      run: BackfillRun,
      ledger_coverage: LedgerCoverage,
    }),
  },
})

export const endpoints = [showCosts, listCostRecords, backfillCosts] as const
