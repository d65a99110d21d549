import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge, type Tone } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'

const tones: Record<string, Tone> = {
  healthy: 'ok',
  ok: 'ok',
  warning: 'needs',
  degraded: 'needs',
  critical: 'failed',
  unhealthy: 'failed',
}

export default function HealthPage(): ReactNode {
  const { data, error, isLoading, isFetching, refetch } = useRead('health.show', {}, { everyMs: 30_000 })
  const report = data?.health_report
  const sections = Object.entries(report ?? {}).flatMap(([name, section]) =>
    isSection(section) ? [{ name, status: section.status, message: section.message }] : [],
  )
  return (
    <Page
      title="Health"
      note={
        report && (
          <>
            Read <Time at={report.generated_at} />
          </>
        )
      }
      actions={
        <Button icon="refresh-cw" isBusy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel title="Report">
        {isLoading && <Skeleton />}
        <ul>
          {sections.map(({ name, status, message }) => (
            <li key={name} className="flex min-h-9 items-center gap-3 border-line border-b px-3 py-1 last:border-b-0">
              <span className="w-48 shrink-0 font-medium">{wordsOf(name)}</span>
              <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge>
              <span className="min-w-0 grow text-muted">{message}</span>
            </li>
          ))}
        </ul>
      </Panel>
    </Page>
  )
}

function isSection(value: unknown): value is { status: string; message?: string } {
  return typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'string'
}

/** `process_health` is "Process". */
function wordsOf(name: string): string {
  const words = name.replace(/_health$/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
