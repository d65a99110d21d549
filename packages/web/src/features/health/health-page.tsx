import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { HealthActions } from './health-actions.tsx'
import { HostsPanel } from './hosts-panel.tsx'
import { QueuesPanel } from './queues-panel.tsx'
import { parts, type Report, stateTones } from './report.ts'
import { BackgroundPanel, FailuresPanel, FiguresPanel } from './report-panels.tsx'

export default function HealthPage(): ReactNode {
  const { data, error, isLoading, isFetching, refetch } = useRead('health.show', {}, { everyMs: 30_000 })
  const report = data?.health_report
  return (
    <Page
      title="Health"
      note={
        data &&
        report && (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Badge tone={stateTones[report.overall_status.status]}>{report.overall_status.status}</Badge>
            <span>
              {report.overall_status.message} · version {data.version} · read <Time at={report.generated_at} />
            </span>
          </span>
        )
      }
      actions={
        <>
          <a
            href="/health/export_diagnostics"
            download="yardmaster-diagnostics.json"
            className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong bg-raised px-3 font-medium shadow-raised hover:bg-hover"
          >
            <Icon name="download" size={14} />
            Export diagnostics
          </a>
          <Button icon="refresh-cw" isBusy={isFetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        </>
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      {isLoading && <Skeleton />}
      {data && report && (
        <>
          <Parts report={report} />
          <HostsPanel report={report} />
          <QueuesPanel report={report} />
          <FailuresPanel report={report} />
          <BackgroundPanel report={report} />
          <FiguresPanel report={report} />
          <HealthActions health={data} />
        </>
      )}
    </Page>
  )
}

function Parts({ report }: { report: Report }): ReactNode {
  return (
    <Panel title="Summary">
      <ul aria-label="Parts of the report">
        {parts.map(([name, label]) => {
          const { status, message } = report[name].status
          return (
            <li
              key={name}
              className="grid min-h-9 grid-cols-[1fr_auto] items-center gap-x-3 border-line border-b px-3 py-1.5 last:border-b-0 md:grid-cols-[13rem_5.5rem_1fr]"
            >
              <span className="font-medium">{label}</span>
              <span>
                <Badge tone={stateTones[status]}>{status}</Badge>
              </span>
              <span className="col-span-2 min-w-0 break-words text-muted md:col-span-1">{message}</span>
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}
