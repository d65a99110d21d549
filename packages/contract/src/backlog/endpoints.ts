import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { PageQuery, Pagination } from '../paging.ts'
import {
  AppendedItem,
  BacklogCounts,
  BacklogFilterValues,
  BacklogRanking,
  CheckedIssues,
  ItemFilters,
  ItemRef,
  NewItem,
  OneItem,
  Placement,
  Pull,
  PulledItems,
  Removal,
  StartedItem,
  StartNow,
  WorkBacklogItem,
} from './fields.ts'

const tag = 'Work backlog'
const params = z.object({ id: ItemRef })

export const listItems = defineEndpoint({
  name: 'work_backlog_items.list',
  auth: 'api_key',
  method: 'GET',
  path: '/work_backlog_items',
  tag,
  summary: 'List items of the work backlog in rank order',
  description: 'Lists the queue unless `status` says otherwise. A filter outside its vocabulary is refused.',
  query: z.object({ ...PageQuery.shape, ...ItemFilters.shape }),
  invalidQuery: 'invalid_filter',
  answers: {
    200: z.object({
      work_backlog_items: z.array(WorkBacklogItem).meta({ description: 'One page of them.' }),
      pagination: Pagination,
      counts: BacklogCounts,
      ranking: BacklogRanking.meta({ description: 'How items are ranked.' }),
      filter_values: BacklogFilterValues.meta({
        description: 'What the items of this status can be narrowed to, on every page and under every filter.',
      }),
    }),
  },
})

export const showItem = defineEndpoint({
  name: 'work_backlog_items.show',
  auth: 'api_key',
  method: 'GET',
  path: '/work_backlog_items/{id}',
  tag,
  summary: 'Show an item of the work backlog',
  description: 'A key names the queued item, else the latest item that had it.',
  params,
  answers: { 200: OneItem },
})

export const appendItem = defineEndpoint({
  name: 'work_backlog_items.append',
  auth: 'api_key',
  method: 'POST',
  path: '/work_backlog_items',
  tag,
  summary: 'Queue work',
  description:
    'The item goes to the end of its band, or to `precedence` if it is pinned. If an item with this key is queued, it is answered (200) and nothing is written.',
  body: NewItem,
  invalidBody: 'invalid_backlog_item',
  answers: { 200: AppendedItem, 201: AppendedItem },
})

export const pullItems = defineEndpoint({
  name: 'work_backlog_items.pull',
  auth: 'api_key',
  method: 'POST',
  path: '/work_backlog_items/pull',
  tag,
  summary: 'Start queued items, each in a spot session of its own',
  description:
    'Removes what is `dead`, then starts `count` items from the top or the items of `keys`. All of it happens, or nothing. A repeat by `keys` starts nothing twice.',
  body: Pull,
  invalidBody: 'invalid_pull',
  answers: { 200: PulledItems },
  refusals: ['cannot_spawn', 'too_many_children'],
})

export const startItemNow = defineEndpoint({
  name: 'work_backlog_items.start_now',
  auth: 'api_key',
  method: 'POST',
  path: '/work_backlog_items/{id}/start_now',
  tag,
  summary: 'Start an item now, in a priority session',
  params,
  body: StartNow,
  answers: { 201: StartedItem },
  refusals: ['not_queued', 'cannot_spawn', 'too_many_children'],
})

export const pinItem = defineEndpoint({
  name: 'work_backlog_items.pin',
  auth: 'api_key',
  method: 'PATCH',
  path: '/work_backlog_items/{id}/pin',
  tag,
  summary: 'Place an item by hand; it is not moved until it is unpinned',
  params,
  body: Placement,
  answers: { 200: OneItem },
  refusals: ['not_queued', 'missing_precedence', 'invalid_precedence'],
})

export const unpinItem = defineEndpoint({
  name: 'work_backlog_items.unpin',
  auth: 'api_key',
  method: 'PATCH',
  path: '/work_backlog_items/{id}/unpin',
  tag,
  summary: 'Return an item to the band of its cost',
  description: 'An item whose rank lies in its band keeps it.',
  params,
  answers: { 200: OneItem },
  refusals: ['not_queued'],
})

export const removeItem = defineEndpoint({
  name: 'work_backlog_items.remove',
  auth: 'api_key',
  method: 'POST',
  path: '/work_backlog_items/{id}/remove',
  tag,
  summary: 'Take an item off the queue; its row stays as history',
  params,
  body: Removal,
  answers: { 200: OneItem },
  refusals: ['not_queued', 'missing_reason'],
})

export const checkIssues = defineEndpoint({
  name: 'work_backlog_items.check_issues',
  auth: 'api_key',
  method: 'POST',
  path: '/work_backlog_items/check_issues',
  tag,
  summary: 'Ask the forge whether the issues of queued items are still open',
  description:
    'The first 200 of them, without those that it was asked about within the last minute. Answers at once; what the forge says is in `liveness`, and `work_backlog.changed` tells when that changes. A forge that throttles is asked later.',
  answers: { 200: CheckedIssues },
  refusals: ['forge_unconfigured'],
})

export const endpoints = [
  listItems,
  showItem,
  appendItem,
  pullItems,
  startItemNow,
  pinItem,
  unpinItem,
  removeItem,
  checkIssues,
] as const
