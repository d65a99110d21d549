import type { ReactNode } from 'react'
import { Skeleton } from '../../shared/kit/notes.tsx'
import { part } from '../../shared/kit/part.tsx'
import { Tabs } from '../../shared/kit/tabs.tsx'
import type { Shown } from './session-facts.ts'
import { type LogsChoice, type SessionTab, sessionTabs } from './session-search.ts'

const meanwhile = <Skeleton rows={4} />

// The transcript comes first; a panel is loaded when it is shown.
const QueuePanel = part(() => import('../inbox/queue-panel.tsx'), meanwhile)
const InfoPanel = part(() => import('./info-panel.tsx'), meanwhile)
const NotesPanel = part(() => import('./notes-panel.tsx'), meanwhile)
const LogsPanel = part(() => import('./logs-panel.tsx'), meanwhile)

export type SidePaneProps = {
  shown: Shown
  id: string
  queued: number
  isWorking: boolean
  tab: SessionTab
  onTab: (tab: SessionTab) => void
  onLogs: (change: LogsChoice) => void
}

export const labels: Record<SessionTab, string> = { queue: 'Queue', info: 'Info', notes: 'Notes', logs: 'Logs' }

export default function SidePane({ shown, id, queued, isWorking, tab, onTab, onLogs }: SidePaneProps): ReactNode {
  return (
    <Tabs
      label="About the session"
      tabs={sessionTabs.map((name) => ({ name, label: labels[name], ...(name === 'queue' && { count: queued }) }))}
      selected={tab}
      onSelect={onTab}
    >
      <div className="h-full overflow-y-auto">
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
        {tab === 'logs' && <LogsPanel id={id} onChoose={onLogs} />}
      </div>
    </Tabs>
  )
}
