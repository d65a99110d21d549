import { z } from 'zod'
import { limits } from '../limits.ts'
import { PageQuery, Pagination } from '../paging.ts'
import { queryBoolean } from '../query.ts'
import { Session, SessionFilters } from '../sessions/fields.ts'

/** `q` and `query` mean the same. The operation refuses a missing phrase, with 400. */
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
    description: 'With `search_contents`: the `next_cursor` of the call to continue. An unreadable one is ignored.',
  }),
  include_matches: queryBoolean({ default: false }).meta({
    description: 'With `search_contents`: adds where the phrase is in the transcripts.',
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
    complete: z.boolean().meta({ description: 'Whether every candidate was searched and every match is shown.' }),
    timed_out: z.boolean().meta({ description: 'Whether the time limit was reached; false when the page is full.' }),
    scanned_sessions: z
      .int()
      .meta({ description: 'Candidates that were searched, up to where the next call continues.' }),
    candidate_sessions: z.int().meta({ description: 'Candidates of this call, without those before the cursor.' }),
    next_cursor: z.string().nullable().meta({
      description: 'To be sent as `scan_cursor` with the same query and filters; null when complete.',
    }),
  })
  .meta({ id: 'ContentScan' })

export type ContentScan = z.infer<typeof ContentScan>

export const SearchMatch = z
  .object({
    thread: z.string().meta({ description: 'The thread of the entry.' }),
    sequence: z.int().meta({ description: 'The entry, as in `GET /sessions/{id}/entries`.' }),
    excerpt: z.string().meta({
      description:
        'The text around the phrase, about 240 characters: as people see it, or else as it is stored. Redacted.',
    }),
    ranges: z
      .array(
        z.object({
          from: z.int().meta({ description: 'The UTF-16 unit of the excerpt where it begins.' }),
          to: z.int().meta({ description: 'The one after its end.' }),
        }),
      )
      .meta({ description: 'Where the phrase is in the excerpt, at most 20 places.' }),
  })
  .meta({ id: 'SearchMatch' })

export type SearchMatch = z.infer<typeof SearchMatch>

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
    matches: z.record(z.string(), z.array(SearchMatch)).optional().meta({
      description:
        'Only with `include_matches=true`. By the id of the session: the latest three entries with the phrase, in order. A session is missing if only its title or metadata has the phrase, or if finding the place took too long.',
    }),
  })
  .meta({ id: 'FoundContents' })

export type FoundSessions = z.infer<typeof FoundSessions>
export type FoundContents = z.infer<typeof FoundContents>
