import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Select } from '../../shared/kit/field.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useLastPage } from '../../shared/kit/use-last-page.ts'
import type { LogsChoice } from './session-search.ts'

type Level = Result<'logs.list'>['logs'][number]['level']

const levels: readonly Level[] = ['error', 'warning', 'info', 'debug', 'verbose']
const colors: Record<Level, string> = {
  error: 'text-failed',
  warning: 'text-needs',
  info: 'text-running',
  debug: 'text-muted',
  verbose: 'text-faint',
}

/** What happened to the session, the latest first. The level and the page are in the address. */
export default function LogsPanel({ id, onChoose }: { id: string; onChoose: (choice: LogsChoice) => void }): ReactNode {
  const chosen = useSearch({ from: '/shell/sessions/$id' })
  const level = levels.find((name) => name === chosen.level)
  const page = chosen.page ?? 1
  const setPage = (next: number) => onChoose({ page: next > 1 ? next : undefined })
  // Lines have no event of their own: a turn may write hundreds in a second.
  const { data, error, isLoading, refetch } = useRead(
    'logs.list',
    { session_id: id, page, per_page: 50, ...(level && { level }) },
    { everyMs: 5_000 },
  )
  const pages = data?.pagination.total_pages ?? 0
  useLastPage(data?.pagination, setPage)
  return (
    <div className="flex flex-col">
      <div className="border-line border-b p-2">
        <Select
          label="Level"
          isLabelHidden
          value={level ?? ''}
          onChange={(event) => onChoose({ level: event.currentTarget.value || undefined, page: undefined })}
          options={[{ value: '', label: 'All levels' }, ...levels.map((name) => ({ value: name, label: name }))]}
        />
      </div>
      <ErrorNote error={error} onRetry={() => refetch()} />
      {isLoading && <Skeleton rows={5} />}
      {data?.logs.length === 0 && (
        <EmptyState icon="file-text" title="Nothing logged">
          What the service does with the session is listed here.
        </EmptyState>
      )}
      <ol>
        {data?.logs.map((line) => (
          <li key={line.id} className="border-line border-b px-3 py-1.5 text-sm">
            <span className="flex justify-between gap-2">
              <span className={`font-medium ${colors[line.level]}`}>{line.level}</span>
              <Time at={line.created_at} className="text-muted" />
            </span>
            <span className="block whitespace-pre-wrap break-words">{line.content}</span>
          </li>
        ))}
      </ol>
      {pages > 1 && (
        <div className="flex items-center justify-between gap-2 p-2 text-muted text-sm">
          <Button size="sm" disabled={page <= 1} onClick={() => setPage(page - 1)}>
            Later
          </Button>
          <span className="tabular">
            {page} of {pages}
          </span>
          <Button size="sm" disabled={page >= pages} onClick={() => setPage(page + 1)}>
            Earlier
          </Button>
        </div>
      )}
    </div>
  )
}
