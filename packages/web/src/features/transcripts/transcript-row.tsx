import { memo, type ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { part } from '../../shared/kit/part.tsx'
import { MessageRow } from './message-row.tsx'
import { ScopeContext, useOpenRow, useScope } from './open-rows.ts'
import { type Located, type Row, rowsOf } from './rows.ts'
import { CallDetails, Disclosure, ToolGroup } from './tool-rows.tsx'
import { TurnRow } from './turn-row.tsx'
import type { Turn } from './turns.ts'
import { useEntries } from './use-entries.ts'
import { useInterval } from './use-interval.ts'

const PartText = part(() => import('./part-text.tsx'))

type TranscriptRowProps = { row: Row; turn: Turn | undefined; newestTurn: number; isLast: boolean }

/** Not drawn again while its row and its turn are the same objects, as when an entry is added below or someone scrolls. */
export const TranscriptRow = memo(function TranscriptRow(props: TranscriptRowProps): ReactNode {
  const { row, turn, newestTurn, isLast } = props
  switch (row.type) {
    case 'turn':
      return <TurnRow number={row.number} turn={turn} newest={newestTurn} />
    case 'message':
      return <MessageRow row={row} />
    case 'tools':
      return <ToolGroup id={row.key} items={row.items} isLast={isLast} />
    case 'subagent':
      return <SubagentRow row={row} />
    case 'block':
      return <Block id={row.key} text={row.text} />
  }
})

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
          <PartText located={text} />
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
  const known = useSubagent(sessionId, subagent.id)
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
            <CallDetails call={call} />
          )}
        </div>
      )}
    </section>
  )
}

/** The newest are read once for all rows, an older one by itself. */
function useSubagent(sessionId: string, id: number) {
  const newest = useRead('subagents.list', { session_id: sessionId, per_page: 100 })
  const listed = newest.data?.subagent_transcripts.find((one) => one.id === id)
  const isOlder = newest.data !== undefined && listed === undefined
  const older = useRead('subagents.show', { session_id: sessionId, id: String(id) }, { isEnabled: isOlder })
  return listed ?? older.data?.subagent_transcript
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
  if (!loaded) return error ? <ErrorNote error={error} onRetry={entries.catchUp} /> : <Skeleton rows={2} />
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
            <TranscriptRow key={row.key} row={row} turn={undefined} newestTurn={0} isLast={index === rows.length - 1} />
          ),
        )}
        {loaded.entries.length === 0 && <p className="px-1 text-muted text-sm">It has written nothing yet.</p>}
      </div>
    </ScopeContext>
  )
}
