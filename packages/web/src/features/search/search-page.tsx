import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Switch, TextField } from '../../shared/kit/field.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { nameOfSession } from '../sessions/name-of-session.ts'

export default function SearchPage(): ReactNode {
  const { q = '', contents = true } = useSearch({ from: '/shell/search' })
  const navigate = useNavigate()
  const found = useRead('sessions.search', { q, search_contents: contents }, { isEnabled: q !== '' })
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget).get('q')).trim()
    void navigate({ to: '/search', search: { ...(typed && { q: typed }), ...(!contents && { contents }) } })
  }
  const sessions = found.data?.sessions ?? []
  const isPartial = found.data && 'content_scan' in found.data && found.data.content_scan.complete === false
  return (
    <Page title="Search">
      <form onSubmit={onSubmit} className="flex items-end gap-2">
        <div className="max-w-lg grow">
          <TextField key={q} label="Phrase" name="q" type="search" defaultValue={q} autoFocus={q === ''} />
        </div>
        <Button type="submit" look="primary" icon="search" isBusy={found.isFetching}>
          Search
        </Button>
      </form>
      <Switch
        label="Search the transcripts too"
        isOn={contents}
        onChange={(isOn) =>
          void navigate({ to: '/search', search: { ...(q && { q }), ...(!isOn && { contents: false }) } })
        }
      />
      <ErrorNote error={found.error} onRetry={() => found.refetch()} />
      {q !== '' && (
        <Panel
          title={
            found.data ? `${sessions.length} found${isPartial ? ', not everything was searched' : ''}` : 'Searching'
          }
        >
          {found.isLoading && <Skeleton />}
          {found.data && sessions.length === 0 && (
            <EmptyState icon="search" title={`Nothing contains “${q}”`}>
              The phrase is searched exactly as it is typed, in either case.
            </EmptyState>
          )}
          <ul>
            {sessions.map((session) => (
              <li
                key={session.id}
                className="flex min-h-9 items-center gap-3 border-line border-b px-3 last:border-b-0 hover:bg-hover"
              >
                <Status of={session.status} className="w-24 shrink-0" />
                <Link
                  to="/sessions/$id"
                  params={{ id: String(session.id) }}
                  className="grow truncate font-medium hover:underline"
                >
                  {nameOfSession(session)}
                </Link>
                <Time at={session.updated_at} className="text-muted text-sm" />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Page>
  )
}
