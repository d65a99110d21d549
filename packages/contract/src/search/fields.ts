import { z } from 'zod'
import { limits } from '../limits.ts'
import { PageQuery, Pagination } from '../paging.ts'
import { queryBoolean } from '../query.ts'
import { Session, SessionFilters } from '../sessions/fields.ts'

/** `q` and `query` are one thing; whether there is one is for the operation to say, since it is refused with 400. */
export const SessionSearch = z.object({
  q: z
    .string()
    .optional()
    .meta({
      description: `The phrase to find, at most ${limits.searchQuery} characters. One literal text, upper and lower case alike.`,
    }),
  query: z.string().optional().meta({ description: 'Another name for `q`, which wins.' }),
  search_contents: queryBoolean({ default: false }).meta({
    description: 'Whether the stored transcripts are searched too.',
  }),
  scan_cursor: z.string().optional().meta({
    description:
      'With `search_contents`: the `next_cursor` of the call to go on from. One that cannot be read is ignored.',
  }),
  ...PageQuery.shape,
  ...SessionFilters.shape,
})

export type SessionSearch = z.infer<typeof SessionSearch>

const query = z.string().meta({ description: 'What was searched for, without the space around it.' })
const sessions = z.array(Session).meta({ description: 'The sessions that match, newest first.' })

export const FoundSessions = z
  .object({
    query,
    search_contents: z.literal(false).meta({ description: 'Transcripts were not searched.' }),
    sessions,
    pagination: Pagination,
  })
  .meta({ id: 'FoundSessions' })

export const ContentScan = z
  .object({
    complete: z.boolean().meta({ description: 'Whether every candidate was looked at and every match is shown.' }),
    timed_out: z.boolean().meta({ description: 'Whether the time ran out; false when the page is simply full.' }),
    scanned_sessions: z
      .int()
      .meta({ description: 'Candidates that were looked at, up to where the next call goes on.' }),
    candidate_sessions: z.int().meta({ description: 'Candidates of this call, those before the cursor left out.' }),
    next_cursor: z.string().nullable().meta({
      description: 'To be sent as `scan_cursor` with the same query and filters; null when complete.',
    }),
  })
  .meta({ id: 'ContentScan' })

export type ContentScan = z.infer<typeof ContentScan>

export const FoundContents = z
  .object({
    query,
    search_contents: z.literal(true).meta({ description: 'Transcripts were searched too.' }),
    sessions,
    pagination: Pagination.extend({
      total_count: z.null().meta({ description: 'Not known.' }),
      total_pages: z.null().meta({ description: 'Not known.' }),
    }).meta({ id: 'UncountedPagination' }),
    content_scan: ContentScan,
  })
  .meta({ id: 'FoundContents' })

export type FoundSessions = z.infer<typeof FoundSessions>
export type FoundContents = z.infer<typeof FoundContents>
