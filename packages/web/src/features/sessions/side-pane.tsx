import { lazy, type ReactNode, Suspense } from 'react'
import { Skeleton } from '../../shared/kit/notes.tsx'
import { Tabs } from '../../shared/kit/tabs.tsx'
import type { Shown } from './session-facts.ts'
import { type SessionTab, sessionTabs } from './session-search.ts'

// The transcript comes first; a panel is loaded when it is shown.
const QueuePanel = lazy(() => import('../inbox/queue-panel.tsx'))
const InfoPanel = lazy(() => import('./info-panel.tsx'))
const NotesPanel = lazy(() => import('./notes-panel.tsx'))
const LogsPanel = lazy(() => import('./logs-panel.tsx'))

export type SidePaneProps = {
  shown: Shown
  id: string
  queued: number
  isWorking: boolean
  tab: SessionTab
  onTab: (tab: SessionTab) => void
}

export const labels: Record<SessionTab, string> = { queue: 'Queue', info: 'Info', notes: 'Notes', logs: 'Logs' }

export default function SidePane({ shown, id, queued, isWorking, tab, onTab }: SidePaneProps): ReactNode {
  return (
    <Tabs
      label="About the session"
      tabs={sessionTabs.map((name) => ({ name, label: labels[name], ...(name === 'queue' && { count: queued }) }))}
      selected={tab}
      onSelect={onTab}
    >
      <div className="h-full overflow-y-auto">
        <Suspense fallback={<Skeleton rows={4} />}>
          {tab === 'queue' && (
            <QueuePanel
              id={id}
              sessionId={shown.session.id}
              isWorking={isWorking}
              isArchived={shown.session.status === 'archived'}
            />
          )}
          {tab === 'info' && <InfoPanel shown={shown} id={id} />}
          {tab === 'notes' && <NotesPanel session={shown.session} id={id} />}
          {tab === 'logs' && <LogsPanel id={id} />}
        </Suspense>
      </div>
    </Tabs>
  )
}
