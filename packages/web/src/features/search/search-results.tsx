import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Input, Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { nameOfSession } from '../sessions/name-of-session.ts'
import type { SearchSearch } from './search-search.ts'
import { useLiveStatuses } from './use-live-statuses.ts'

type Found = Result<'sessions.search'>
type Match = NonNullable<Extract<Found, { content_scan: object }>['matches']>[string][number]
type Place = { scan_cursor?: string; page?: number }

/** The pages that were read so far, one below the other. */
export function SearchResults({ search }: { search: SearchSearch & { q: string } }): ReactNode {
  useLiveStatuses()
  const [places, setPlaces] = useState<readonly Place[]>([{}])
  return places.map((place, index) => (
    <ResultsPage
      key={place.scan_cursor ?? place.page ?? 'first'}
      search={search}
      place={place}
      isLast={index === places.length - 1}
      onMore={(next) => setPlaces([...places, next])}
    />
  ))
}

type ResultsPageProps = {
  search: SearchSearch & { q: string }
  place: Place
  isLast: boolean
  onMore: (next: Place) => void
}

function ResultsPage({ search, place, isLast, onMore }: ResultsPageProps): ReactNode {
  const { data, error, isLoading, refetch } = useRead('sessions.search', requestOf(search, place))
  if (error) return <ErrorNote error={error} onRetry={() => refetch()} />
  if (isLoading || !data) return <Skeleton />
  const isFirst = Object.keys(place).length === 0
  const matches = ('matches' in data && data.matches) || {}
  const next = nextPlace(data)
  return (
    <>
      {data.sessions.length === 0 && isFirst && !next && (
        <EmptyState icon="search" title={`Nothing contains “${search.q}”`}>
          The phrase is searched exactly as it is typed, in either case.
          {search.archived ? '' : ' Archived sessions were left out.'}
        </EmptyState>
      )}
      <ul>
        {data.sessions.map((session) => (
          <Hit key={session.id} session={session} matches={matches[String(session.id)] ?? []} />
        ))}
      </ul>
      {isLast && (
        <footer className="flex flex-wrap items-center justify-between gap-2 px-3 py-2 text-muted text-sm">
          <span>{extentOf(data)}</span>
          {next && (
            <Button size="sm" onClick={() => onMore(next)}>
              {'content_scan' in data ? 'Search on' : 'Show more'}
            </Button>
          )}
        </footer>
      )}
    </>
  )
}

function requestOf(
  { q, contents, archived, ...filters }: SearchSearch & { q: string },
  place: Place,
): Input<'sessions.search'> {
  const isInContents = contents !== false
  return {
    q,
    search_contents: isInContents,
    ...(isInContents && { include_matches: true }),
    ...(archived && { show_archived: true }),
    ...filters,
    ...place,
  } as Input<'sessions.search'> // filters come from the address; the server ignores or refuses unknown values
}

function nextPlace(found: Found): Place | undefined {
  if ('content_scan' in found) {
    const { next_cursor } = found.content_scan
    return next_cursor === null ? undefined : { scan_cursor: next_cursor }
  }
  const { page, total_pages } = found.pagination
  return page < total_pages ? { page: page + 1 } : undefined
}

/** Whether all transcripts were searched, in words. */
function extentOf(found: Found): string {
  if (!('content_scan' in found)) {
    const { total_count } = found.pagination
    return `${total_count} found in titles and metadata`
  }
  const { complete, timed_out, scanned_sessions, candidate_sessions } = found.content_scan
  if (complete) return 'All transcripts were searched'
  const why = timed_out ? 'the time was up' : 'the page is full'
  return `Not all transcripts were searched: ${scanned_sessions} of ${candidate_sessions} sessions, then ${why}`
}

function Hit({ session, matches }: { session: Found['sessions'][number]; matches: readonly Match[] }): ReactNode {
  const { id, status, agent_runtime, updated_at } = session
  return (
    <li className="border-line border-b px-3 py-2 last:border-b-0">
      <div className="flex items-baseline gap-3 md:items-center">
        <Status of={status} className="w-24 shrink-0 max-md:hidden" />
        <Link
          to="/sessions/$id"
          params={{ id: String(id) }}
          className="min-w-0 grow font-medium hover:underline md:truncate"
        >
          {nameOfSession(session)}
        </Link>
        <span className="hidden text-muted text-sm md:inline">{agent_runtime}</span>
        <Time at={updated_at} className="text-muted text-sm" />
      </div>
      <Status of={status} className="text-sm md:hidden" />
      {matches.map((match) => (
        <Link
          key={`${match.thread} ${match.sequence}`}
          to="/sessions/$id"
          params={{ id: String(id) }}
          hash={`e${match.sequence}`}
          className="-mx-2 mt-1 block rounded-md px-2 py-1 text-muted text-sm hover:bg-hover hover:text-text md:ml-25"
        >
          <Excerpt of={match} />
        </Link>
      ))}
    </li>
  )
}

/** The excerpt with the phrase marked. */
function Excerpt({ of: { excerpt, ranges } }: { of: Match }): ReactNode {
  const ends = [0, ...ranges.map(({ to }) => to)]
  return (
    <span className="line-clamp-3 break-words">
      {ranges.map(({ from, to }, index) => (
        <span key={from}>
          {excerpt.slice(ends[index], from)}
          <mark className="rounded-sm bg-needs-soft px-0.5 font-medium text-text">{excerpt.slice(from, to)}</mark>
        </span>
      ))}
      {excerpt.slice(ends.at(-1))}
    </span>
  )
}
