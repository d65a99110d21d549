import { limits } from '@yardmaster/contract/limits'
import type { ContentScan, FoundContents } from '@yardmaster/contract/search/fields'
import type { SessionFilters } from '@yardmaster/contract/sessions/fields'
import type { App } from '../app.ts'
import { type Candidate, findCandidates, showSessions } from '../sessions/session.ts'
import { findMatches } from './find-matches.ts'
import { phraseOf } from './phrase.ts'
import { readCursor, writeCursor } from './scan-cursor.ts'
import { settlePage } from './settle-page.ts'
import { findUnindexed } from './unindexed.ts'
import { walk } from './walk.ts'

type Wanted = {
  query: string
  filters: SessionFilters
  perPage: number
  cursor: string | undefined
  /** Whether the answer says where the phrase is. */
  hasMatches: boolean
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/** Searches title, JSON and transcript, newest session first, until the page is full or the time budget is used up. */
export async function searchContents(app: App, wanted: Wanted): Promise<FoundContents> {
  const { query, filters, perPage, signal } = wanted
  const deadline = performance.now() + app.contentSearch.budgetSeconds * 1000
  const from = readCursor(wanted.cursor)
  const limit = limits.contentSearchCandidates
  const phrase = phraseOf(query)
  const [found, unindexed] = await Promise.all([
    findCandidates(app, filters, { below: from, limit: limit + 1 }),
    findUnindexed(app.db, phrase),
  ])
  const candidates = found.slice(0, limit)
  const page = { perPage, chunkSessions: app.contentSearch.chunkSessions }
  const walked = await walk(app, candidates, { phrase, unindexed, page, deadline, signal })
  const { shown, covered } = settlePage(walked, page)
  const sessions = await showSessions(
    app,
    shown.flatMap((place) => candidates[place]?.id ?? []),
  )
  return {
    query,
    search_contents: true,
    sessions,
    pagination: { page: 1, per_page: perPage, total_count: null, total_pages: null },
    content_scan: describeScan(candidates, {
      covered,
      isTimedOut: walked.isTimedOut,
      isCapped: found.length > limit,
      cursor: from && wanted.cursor,
    }),
    ...(wanted.hasMatches && {
      matches: await findMatches(app, sessions, { phrase, tails: unindexed.tails, deadline }),
    }),
  }
}

type Scan = { covered: number; isTimedOut: boolean; isCapped: boolean; cursor: string | undefined }

function describeScan(candidates: readonly Candidate[], { covered, isTimedOut, isCapped, cursor }: Scan): ContentScan {
  const complete = covered === candidates.length && !isTimedOut && !isCapped
  const last = candidates[covered - 1]
  return {
    complete,
    timed_out: isTimedOut,
    scanned_sessions: covered,
    candidate_sessions: candidates.length,
    next_cursor: complete ? null : last ? writeCursor(last) : (cursor ?? null),
  }
}
