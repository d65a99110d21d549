import { lazy, type ReactNode, Suspense } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { MessageRow } from './message-row.tsx'
import { ScopeContext, useOpenRow, useScope } from './open-rows.ts'
import { type Located, type Row, rowsOf } from './rows.ts'
import { Disclosure, ToolGroup } from './tool-rows.tsx'
import { type Turn, TurnRow } from './turn-row.tsx'
import { useEntries } from './use-entries.ts'
import { useInterval } from './use-interval.ts'

const CallDetails = lazy(() => import('./call-details.tsx'))
const PartText = lazy(() => import('./part-text.tsx'))

type TranscriptRowProps = { row: Row; turn: Turn | undefined; isLast: boolean }

export function TranscriptRow({ row, turn, isLast }: TranscriptRowProps): ReactNode {
  switch (row.type) {
    case 'turn':
      return <TurnRow number={row.number} turn={turn} />
    case 'message':
      return <MessageRow row={row} />
    case 'tools':
      return <ToolGroup id={row.key} items={row.items} isLast={isLast} />
    case 'subagent':
      return <SubagentRow row={row} />
    case 'block':
      return <Block id={row.key} text={row.text} />
  }
}

/** An image, or something of a kind that the service does not know. */
function Block({ id, text }: { id: string; text: Located }): ReactNode {
  const [isOpen, toggle] = useOpenRow(id)
  if (text.part.type === 'image') return <p className="px-1 text-muted text-sm">[An image]</p>
  return (
    <div id={`e${text.sequence}`}>
      <Disclosure isOpen={isOpen} onToggle={toggle}>
        <span className="min-w-0 truncate">Other entry</span>
      </Disclosure>
      {isOpen && (
        <div className="my-1 ml-5 rounded-md border border-line bg-surface">
          <Suspense>
            <PartText located={text} />
          </Suspense>
        </div>
      )}
    </div>
  )
}

type SubagentRowType = Extract<Row, { type: 'subagent' }>

/** A subagent where it was started, with its own conversation inside. */
function SubagentRow({ row: { key, call, subagent } }: { row: SubagentRowType }): ReactNode {
  const [isOpen, toggle] = useOpenRow(key)
  const { sessionId } = useScope()
  const listed = useRead('subagents.list', { session_id: sessionId, per_page: 100 })
  const known = listed.data?.subagent_transcripts.find(({ id }) => id === subagent.id)
  const status = known?.status ?? subagent.status
  return (
    <section
      id={`e${call.sequence}`}
      aria-label={`Subagent ${subagent.label}`}
      className="scroll-mt-4 rounded-lg border border-line bg-surface"
    >
      <Disclosure isOpen={isOpen} onToggle={toggle}>
        <Icon name="users" size={14} className="text-faint" />
        <span className="font-medium text-text">Subagent</span>
        <span className="min-w-0 grow truncate">{subagent.label}</span>
        {known?.formatted_duration && <span className="tabular text-faint text-sm">{known.formatted_duration}</span>}
        <SubagentStatus status={status} />
      </Disclosure>
      {isOpen && (
        <div className="border-line border-t px-2 py-2">
          {subagent.thread ? (
            <SubagentThread thread={subagent.thread} isRunning={status === 'running'} />
          ) : (
            <Suspense>
              <CallDetails call={call} />
            </Suspense>
          )}
        </div>
      )}
    </section>
  )
}

function SubagentStatus({ status }: { status: 'running' | 'completed' | 'failed' | null }): ReactNode {
  if (status === null) return null
  const looks = {
    running: { icon: 'loader-circle', color: 'text-running' },
    completed: { icon: 'circle-check', color: 'text-ok' },
    failed: { icon: 'circle-x', color: 'text-failed' },
  } as const
  const { icon, color } = looks[status]
  return (
    <span className={`inline-flex items-center gap-1 pr-1 text-sm ${color}`}>
      <Icon name={icon} size={14} className={status === 'running' ? 'spin' : ''} />
      {status}
    </span>
  )
}

const followEveryMs = 1_500

function SubagentThread({ thread, isRunning }: { thread: string; isRunning: boolean }): ReactNode {
  const scope = useScope()
  const entries = useEntries(scope.sessionId, { thread })
  useInterval(entries.catchUp, isRunning && scope.isWorking ? followEveryMs : undefined)
  const { loaded, error, hasOlder, isLoadingOlder } = entries
  if (!loaded) return error ? <ErrorNote error={error} onRetry={entries.retry} /> : <Skeleton rows={2} />
  return (
    <ScopeContext value={{ ...scope, thread, isWorking: isRunning && scope.isWorking }}>
      <div className="flex flex-col gap-2">
        {hasOlder && (
          <Button look="quiet" size="sm" isBusy={isLoadingOlder} onClick={entries.loadOlder}>
            Earlier entries
          </Button>
        )}
        {rowsOf(loaded.entries, { hasOlder }).map((row, index, rows) =>
          row.type === 'turn' ? null : (
            <TranscriptRow key={row.key} row={row} turn={undefined} isLast={index === rows.length - 1} />
          ),
        )}
        {loaded.entries.length === 0 && <p className="px-1 text-muted text-sm">It has written nothing yet.</p>}
      </div>
    </ScopeContext>
  )
}
