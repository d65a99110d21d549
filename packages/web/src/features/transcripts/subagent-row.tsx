import type { ComponentType, ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { ScopeContext, useOpenRow, useScope } from './open-rows.ts'
import { type Row, rowsOf } from './rows.ts'
import { CallDetails, Disclosure } from './tool-rows.tsx'
import type { TranscriptRowProps } from './transcript-row-props.ts'
import { useEntries } from './use-entries.ts'
import { useInterval } from './use-interval.ts'

type SubagentRowProps = {
  row: Extract<Row, { type: 'subagent' }>
  /** Draws its own entries, among which may be subagents. */
  Row: ComponentType<TranscriptRowProps>
}

/** A subagent where it was started, with its own conversation inside. */
export default function SubagentRow({ row: { key, call, subagent }, Row }: SubagentRowProps): ReactNode {
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
            <SubagentThread thread={subagent.thread} isRunning={status === 'running'} Row={Row} />
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

type ThreadProps = Pick<SubagentRowProps, 'Row'> & { thread: string; isRunning: boolean }

function SubagentThread({ thread, isRunning, Row }: ThreadProps): ReactNode {
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
            <Row key={row.key} row={row} turn={undefined} newestTurn={0} isLast={index === rows.length - 1} />
          ),
        )}
        {loaded.entries.length === 0 && <p className="px-1 text-muted text-sm">It has written nothing yet.</p>}
      </div>
    </ScopeContext>
  )
}
